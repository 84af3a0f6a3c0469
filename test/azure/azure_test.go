package azure_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// azureCluster is an emulator with Azure only, and a namespace.
type azureCluster struct {
	cluster.Cluster

	emu *emulator.Emulator
}

func start(t *testing.T, secure bool) *azureCluster {
	t.Helper()
	emu := emulatortest.Start(t, emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolAzure}, TLS: secure})
	return &azureCluster{cluster.Cluster{TB: t, Client: emu.Client(), Namespace: emulatortest.Namespace(t)}, emu}
}

// claim creates a claim, and waits until its container exists.
func (a *azureCluster) claim(name string) *v1alpha2.BucketClaim {
	a.Helper()
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: name},
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolAzure},
		},
	}
	a.Make(claim)
	a.WaitReady(claim)
	return claim
}

// access creates an access with a mode for objects and their metadata, and waits until it has
// a Secret.
func (a *azureCluster) access(claim *v1alpha2.BucketClaim, name string, mode v1alpha2.BucketAccessMode) *v1alpha2.BucketAccess {
	a.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolAzure,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: claim.Name, AccessSecretName: name,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: mode, ObjectMetadata: mode},
			}},
		},
	}
	a.Make(access)
	a.WaitReady(access)
	return access
}

// open returns the SDK's client for a Secret, in its default configuration but for the certificate
// authority.
func (a *azureCluster) open(secret string) *container.Client {
	a.Helper()
	return a.openWith(secret, azcore.ClientOptions{})
}

func (a *azureCluster) openWith(secret string, options azcore.ClientOptions) *container.Client {
	a.Helper()
	values := a.Secret(secret)
	if authority := values[v1alpha2.SecretKeyCertificateAuthority]; authority != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(authority))
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		a.Cleanup(transport.CloseIdleConnections)
		options.Transport = &http.Client{Transport: transport}
	}
	c, err := container.NewClientWithNoCredential(values[v1alpha2.SecretKeyAzureSASToken], &container.ClientOptions{ClientOptions: options})
	a.Must(err)
	return c
}

// TestClients use a container with each client, from the claim to its deletion, which must
// leave nothing. Of an access that is revoked the clients learn at once.
func TestClients(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			az := start(t, scheme == "https")
			claim := az.claim("photos")
			access := az.access(claim, "app", v1alpha2.BucketAccessModeReadWrite)
			if token := az.Secret("app")[v1alpha2.SecretKeyAzureSASToken]; !strings.HasPrefix(token, az.emu.Info().AzureEndpoint+"/") {
				t.Fatalf("the URI of the Secret is %s, and the service is at %s", withoutSignature(token), az.emu.Info().AzureEndpoint)
			}
			c := az.open("app")
			t.Run("azblob", func(t *testing.T) {
				if err := use(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
			t.Run("python", func(t *testing.T) { az.run(t, access, "python3", "-c", "import azure.storage.blob", "client.py") })
			t.Run("rclone", func(t *testing.T) { az.run(t, access, "sh", "-c", "rclone version", "client.sh") })
			if err := upload(t.Context(), c, "last", "content", nil); err != nil {
				t.Fatal(err)
			}
			az.Remove(access)
			az.WaitGone(access)
			_, err := c.NewBlobClient("last").GetProperties(t.Context(), nil)
			if !bloberror.HasCode(err, bloberror.AuthenticationFailed) {
				t.Errorf("with a revoked signature: %v", err)
			}
			az.access(claim, "again", v1alpha2.BucketAccessModeReadWrite)
			if err := deleteAll(t.Context(), az.open("again")); err != nil {
				t.Error(err)
			}
			again := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: az.Namespace, Name: "again"}}
			az.Remove(again)
			az.WaitGone(again)
			az.Remove(claim)
			az.WaitGone(claim)
			az.Eventually(func() error {
				left, err := az.emu.Store().Buckets(t.Context())
				if err == nil && len(left) > 0 {
					err = fmt.Errorf("containers are left: %v", left)
				}
				return err
			})
		})
	}
}

// run runs a script with the environment that `cosi-emu env --access` prints. It is skipped
// without its interpreter, which a first run of another script checks.
func (a *azureCluster) run(t *testing.T, access *v1alpha2.BucketAccess, interpreter, option, check, script string) {
	t.Helper()
	interpreter = withModule(t.Context(), interpreter, option, check)
	if interpreter == "" {
		t.Skipf("%s is not installed", check)
	}
	variables, err := env.ForAccess(t.Context(), a.emu.Client(), a.emu.Info().API, client.ObjectKeyFromObject(access), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter, filepath.Join("testdata", script))
	cmd.Env = os.Environ()
	for _, v := range variables {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	if authority := a.emu.Info().S3CertificateAuthority; authority != "" {
		cmd.Env = append(cmd.Env, "COSI_CERTIFICATE_AUTHORITY_FILE="+authority)
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", script, err, output)
	}
}

// withModule returns the interpreter with which the check succeeds, or "". A distribution
// installs modules for its own Python only, which may not be the first of PATH.
func withModule(ctx context.Context, interpreter, option, check string) string {
	for _, candidate := range []string{interpreter, "/usr/bin/" + interpreter} {
		if exec.CommandContext(ctx, candidate, option, check).Run() == nil {
			return candidate
		}
	}
	return ""
}

func withoutSignature(uri string) string {
	uri, _, _ = strings.Cut(uri, "?")
	return uri
}

// TestModes checks what each mode of an access, and a signature for another container, allow.
func TestModes(t *testing.T) {
	az := start(t, false)
	claim, other := az.claim("photos"), az.claim("other")
	az.access(claim, "rw", v1alpha2.BucketAccessModeReadWrite)
	az.access(claim, "ro", v1alpha2.BucketAccessModeReadOnly)
	az.access(claim, "wo", v1alpha2.BucketAccessModeWriteOnly)
	az.access(other, "foreign", v1alpha2.BucketAccessModeReadWrite)
	az.Must(upload(t.Context(), az.open("rw"), "x", "x", nil))
	const mismatch = bloberror.AuthorizationPermissionMismatch
	for name, want := range map[string]struct{ read, write, list bloberror.Code }{
		"rw": {}, "ro": {write: mismatch}, "wo": {read: mismatch, list: mismatch},
	} {
		c := az.open(name)
		_, read := c.NewBlobClient("x").DownloadStream(t.Context(), nil)
		_, list := c.NewListBlobsFlatPager(nil).NextPage(t.Context())
		for what, tc := range map[string]struct {
			err  error
			want bloberror.Code
		}{"read": {read, want.read}, "write": {upload(t.Context(), c, "x", "y", nil), want.write}, "list": {list, want.list}} {
			if !hasCode(tc.err, tc.want) {
				t.Errorf("%s: %s: %v, want %q", name, what, tc.err, tc.want)
			}
		}
	}
	// The signature of one container in the URL of another.
	_, query, _ := strings.Cut(az.Secret("foreign")[v1alpha2.SecretKeyAzureSASToken], "?")
	forged, err := container.NewClientWithNoCredential(withoutSignature(az.Secret("rw")[v1alpha2.SecretKeyAzureSASToken])+"?"+query, nil)
	az.Must(err)
	_, err = forged.NewBlobClient("x").GetProperties(t.Context(), nil)
	if !bloberror.HasCode(err, bloberror.AuthenticationFailed) {
		t.Errorf("with the signature of another container: %v", err)
	}
	if err := expect(t.Context(), az.open("ro").NewBlobClient("x"), "y", &blob.DownloadStreamOptions{}); err != nil {
		t.Error(err)
	}
	az.Must(deleteBlobs(t.Context(), az.open("rw")))
}

func hasCode(err error, code bloberror.Code) bool {
	if code == "" {
		return err == nil
	}
	return bloberror.HasCode(err, code)
}
