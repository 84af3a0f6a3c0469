package emulatortest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/hub/cause"
)

// readyTimeout is the time limit for a bucket or keys, which take a fraction of a second.
const readyTimeout = time.Minute

// Claim creates a BucketClaim for S3 with the class emulator.ClassStandard, and returns it when its
// bucket is ready. The emulator must serve v1alpha2.
func Claim(tb testing.TB, emu *emulator.Emulator, namespace, name string) *v1alpha2.BucketClaim {
	tb.Helper()
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	create(tb, emu, claim, func() bool { return claim.Status.ReadyToUse },
		func(all *hub.Lists) cause.List { return cause.OfClaim(all, claim) })
	return claim
}

// Access creates a BucketAccess for a BucketClaim with the class emulator.ClassStandard, and
// returns its credentials when they are ready. The mode applies to objects and their metadata. The
// BucketAccess and its Secret are named after the BucketClaim and the mode, such as
// photos-readwrite.
func Access(tb testing.TB, emu *emulator.Emulator, claim *v1alpha2.BucketClaim, mode v1alpha2.BucketAccessMode) Credentials {
	tb.Helper()
	name := claim.Name + "-" + strings.ToLower(string(mode))
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: claim.Name, AccessSecretName: name,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: mode, ObjectMetadata: mode},
			}},
		},
	}
	create(tb, emu, access, func() bool { return access.Status.ReadyToUse },
		func(all *hub.Lists) cause.List { return cause.OfAccess(all, access) })
	secret := &corev1.Secret{}
	if err := emu.Client().Get(tb.Context(), client.ObjectKeyFromObject(access), secret); err != nil {
		tb.Fatalf("read the Secret of BucketAccess %s/%s: %v", claim.Namespace, name, err)
	}
	return credentialsIn(secret.Data)
}

// errFinal ends the wait for an object that COSI does not make ready.
var errFinal = errors.New("COSI does not retry until an object is corrected")

// create creates an object, and returns when it is ready. Otherwise the test fails with the causes: at
// once if COSI does not retry.
func create(tb testing.TB, emu *emulator.Emulator, object client.Object, ready func() bool, causes func(*hub.Lists) cause.List) {
	tb.Helper()
	what := fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())
	if err := emu.Client().Create(tb.Context(), object); err != nil {
		tb.Fatalf("create %s: %v", what, err)
	}
	var known cause.List
	err := wait.PollUntilContextTimeout(tb.Context(), pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		if err := emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object); err != nil || ready() {
			return err == nil, err
		}
		all, err := hub.Read(ctx, emu.Client(), objectstorage.V1alpha2, hub.Options{Namespace: object.GetNamespace()})
		if err != nil {
			return false, err
		}
		if known = causes(&all); known.Kind() == cause.Final {
			return false, errFinal
		}
		return false, nil
	})
	switch {
	case errors.Is(err, errFinal):
		tb.Fatalf("%s is not ready, and %v: %s", what, errFinal, known)
	case errors.Is(err, context.DeadlineExceeded):
		tb.Fatalf("%s is not ready after %s: %s", what, readyTimeout, known)
	case err != nil:
		tb.Fatalf("wait for %s: %v", what, err)
	}
}

// Credentials are the contents of the Secret of a BucketAccess for S3.
type Credentials struct {
	// Endpoint is the URL of the S3 service, and Bucket the name of the bucket there.
	Endpoint, Bucket, Region     string
	AccessKeyID, SecretAccessKey string
	// PathStyle means that clients put the bucket into the path of URLs, not into the host name.
	PathStyle bool
	// CertificateAuthority has the certificates, in PEM, that clients trust; empty without TLS.
	CertificateAuthority string
}

func credentialsIn(secret map[string][]byte) Credentials {
	value := func(key string) string { return string(secret[key]) }
	return Credentials{
		Endpoint: value(v1alpha2.SecretKeyS3Endpoint), Bucket: value(v1alpha2.SecretKeyBucketName),
		Region:      value(v1alpha2.SecretKeyS3Region),
		AccessKeyID: value(v1alpha2.SecretKeyS3AccessKeyID), SecretAccessKey: value(v1alpha2.SecretKeyS3SecretAccessKey),
		PathStyle:            value(v1alpha2.SecretKeyS3AddressingStyle) == v1alpha2.S3AddressingStylePath,
		CertificateAuthority: value(v1alpha2.SecretKeyCertificateAuthority),
	}
}

// AWSConfig returns the configuration of a client of the AWS SDK:
//
//	s3.NewFromConfig(c.AWSConfig(), func(o *s3.Options) { o.UsePathStyle = c.PathStyle })
func (c Credentials) AWSConfig() aws.Config {
	config := aws.Config{
		Region: c.Region, BaseEndpoint: &c.Endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, Source: "BucketAccess"}, nil
		}),
	}
	if c.CertificateAuthority != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(c.CertificateAuthority))
		config.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	}
	return config
}
