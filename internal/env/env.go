// Package env gathers the environment variables by which programs find an emulator, and the
// credentials of a BucketAccess.
package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

// Variable is an environment variable.
type Variable struct {
	Name, Value string
	// Added explains a variable that is not in the Secret of the access.
	Added string
}

// ErrNotReady is the error of a BucketAccess that has no credentials yet.
var ErrNotReady = errors.New("it has no credentials yet")

// NameVariable selects the emulator for all commands of cosi-emu.
const NameVariable = "COSI_EMU_NAME"

// ForEmulator returns the variables by which programs find the emulator of a name.
func ForEmulator(name string, info description.Info) []Variable {
	variables := []Variable{{Name: NameVariable, Value: name}}
	for _, e := range info.Endpoints() {
		if e.Variable != "" {
			variables = append(variables, Variable{Name: e.Variable, Value: e.Value})
		}
	}
	if info.S3CertificateAuthority == "" {
		return variables
	}
	for _, other := range authorityVariables {
		variables = append(variables, Variable{Name: other.name, Value: info.S3CertificateAuthority, Added: other.readers})
	}
	return variables
}

// authorityVariables name the file with the certificate authority for clients that do not read AWS_CA_BUNDLE.
var authorityVariables = []struct{ name, readers string }{
	{"NODE_EXTRA_CA_CERTS", "for Node.js"},
	{"SSL_CERT_FILE", "for Go, OpenSSL and the clients of Azure for Python"},
	{"REQUESTS_CA_BUNDLE", "for the clients of GCS for Python"},
}

// ForAccess returns the values in the Secret of a BucketAccess, sorted by name: the AWS_* variables
// and BUCKET_NAME for S3, under the names of v1alpha2 in every version. Added last are AWS_REGION,
// for the SDKs that do not know AWS_DEFAULT_REGION, and for Azure the name of the container and a
// connection string. If the access is for several BucketClaims, claim selects one; otherwise it may
// be empty. The error is ErrNotReady if the access is not provisioned.
//
// The bucketName in a Secret of v1alpha1 is the name of the Bucket object, which is not the name of a
// bucket that existed before. So BUCKET_NAME is the ID of such a bucket, unless the ID cannot be a name.
// An endpoint without a scheme gets one.
func ForAccess(
	ctx context.Context, c client.Client, version objectstorage.Version, access client.ObjectKey, claim string,
) ([]Variable, error) {
	object, err := hub.ReadAccess(ctx, c, version, access)
	if err != nil {
		return nil, fmt.Errorf("BucketAccess %s: %w", access, err)
	}
	secret, err := secretFor(object, claim)
	if err != nil {
		return nil, fmt.Errorf("BucketAccess %s: %w", access, err)
	}
	if !object.Status.ReadyToUse {
		return nil, notReady(ctx, c, version, object)
	}
	values, err := readSecret(ctx, c, client.ObjectKey{Namespace: access.Namespace, Name: secret})
	if err != nil {
		return nil, err
	}
	if version == objectstorage.V1alpha1 {
		existing, err := existingBucket(ctx, c, object)
		if err != nil {
			return nil, err
		}
		values[v1alpha2.SecretKeyBucketName] = cmp.Or(existing, values[v1alpha2.SecretKeyBucketName])
	}
	return variablesOf(values), nil
}

// existingBucket returns the ID of the bucket of an access of v1alpha1 if it existed before its Bucket, and
// the ID can be a name; otherwise "".
func existingBucket(ctx context.Context, c client.Client, access *v1alpha2.BucketAccess) (string, error) {
	for _, accessed := range access.Status.AccessedBuckets {
		bucket := &v1alpha1.Bucket{}
		if err := client.IgnoreNotFound(c.Get(ctx, client.ObjectKey{Name: accessed.BucketName}, bucket)); err != nil {
			return "", fmt.Errorf("read Bucket %s: %w", accessed.BucketName, err)
		}
		if id := bucket.Spec.ExistingBucketID; id != "" && !strings.ContainsAny(id, "/:") {
			return id, nil
		}
	}
	return "", nil
}

func secretFor(access *v1alpha2.BucketAccess, claim string) (string, error) {
	var claims []string
	for _, entry := range access.Spec.BucketClaims {
		if entry.BucketClaimName == claim || claim == "" && len(access.Spec.BucketClaims) == 1 {
			return entry.AccessSecretName, nil
		}
		claims = append(claims, entry.BucketClaimName)
	}
	if claim == "" {
		return "", fmt.Errorf("it is for several BucketClaims, choose one of %s", strings.Join(claims, ", "))
	}
	return "", fmt.Errorf("it is not for BucketClaim %s, but for %s", claim, strings.Join(claims, ", "))
}

// readSecret returns the values of an access Secret, by the keys of v1alpha2.
func readSecret(ctx context.Context, c client.Client, key client.ObjectKey) (map[string]string, error) {
	secret := &corev1.Secret{}
	err := c.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("access Secret %s is gone: %w", key, ErrNotReady)
	}
	if err != nil {
		return nil, fmt.Errorf("access Secret %s: %w", key, err)
	}
	return secretvalues.Data(secret)
}

func variablesOf(values map[string]string) []Variable {
	variables := make([]Variable, 0, len(values)+1)
	for name, value := range values {
		variables = append(variables, withScheme(Variable{Name: name, Value: value}))
	}
	slices.SortFunc(variables, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	if region, ok := values[v1alpha2.SecretKeyS3Region]; ok {
		variables = append(variables, Variable{Name: regionVariable, Value: region, Added: addedRegion})
	}
	return append(variables, azureVariables(values)...)
}

// withScheme adds the scheme that clients require to the endpoint of S3.
func withScheme(v Variable) Variable {
	if v.Name != v1alpha2.SecretKeyS3Endpoint || v.Value == "" || strings.Contains(v.Value, "://") {
		return v
	}
	scheme := "https"
	host, _, err := net.SplitHostPort(v.Value)
	if err != nil {
		host = v.Value
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		scheme = "http"
	}
	v.Value, v.Added = scheme+"://"+v.Value, "in the Secret without "+scheme+"://, which clients require"
	return v
}

// regionVariable has the region for SDKs that do not read v1alpha2.SecretKeyS3Region.
const regionVariable = "AWS_REGION"

// addedRegion explains regionVariable.
const addedRegion = "not in the Secret; added for SDKs that do not read " + v1alpha2.SecretKeyS3Region

// azureVariables derives values that clients of Azure require from the URI in the Secret: the name
// of the container, and a connection string.
func azureVariables(values map[string]string) []Variable {
	container, err := url.Parse(values[v1alpha2.SecretKeyAzureSASToken])
	if err != nil || container.Host == "" {
		return nil
	}
	token := container.RawQuery
	endpoint, name := path.Split(container.Path)
	container.Path, container.RawPath, container.RawQuery = strings.TrimSuffix(endpoint, "/"), "", ""
	added := []Variable{{
		Name: "AZURE_STORAGE_CONNECTION_STRING", Value: "BlobEndpoint=" + container.String() + ";SharedAccessSignature=" + token,
		Added: "not in the Secret; added for SDKs that do not read a URI",
	}}
	if values[v1alpha2.SecretKeyBucketName] == "" {
		added = append(added, Variable{
			Name: v1alpha2.SecretKeyBucketName, Value: name, Added: "not in the Secret; added from " + v1alpha2.SecretKeyAzureSASToken,
		})
	}
	return added
}
