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

// world is an emulator with Azure only, and a namespace.
type world struct {
	cluster.Cluster

	emu *emulator.Emulator
}

func start(t *testing.T, secure bool) *world {
	t.Helper()
	emu := emulatortest.Start(t, emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolAzure}, TLS: secure})
	return &world{cluster.Cluster{TB: t, Client: emu.Client(), Namespace: emulatortest.Namespace(t)}, emu}
}

// claim creates a claim, and waits until its container exists.
func (w *world) claim(name string) *v1alpha2.BucketClaim {
	w.Helper()
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolAzure},
		},
	}
	w.Make(claim)
	w.WaitReady(claim)
	return claim
}

// access creates an access with a mode for objects and their metadata, and waits until it has
// a Secret.
func (w *world) access(claim *v1alpha2.BucketClaim, name string, mode v1alpha2.BucketAccessMode) *v1alpha2.BucketAccess {
	w.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolAzure,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: claim.Name, AccessSecretName: name,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: mode, ObjectMetadata: mode},
			}},
		},
	}
	w.Make(access)
	w.WaitReady(access)
	return access
}

// open returns the SDK's client for a Secret, in its default configuration but for the certificate
// authority.
func (w *world) open(secret string) *container.Client {
	w.Helper()
	values := w.Secret(secret)
	var options *container.ClientOptions
	if authority := values[v1alpha2.SecretKeyCertificateAuthority]; authority != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(authority))
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		w.Cleanup(transport.CloseIdleConnections)
		options = &container.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: &http.Client{Transport: transport}}}
	}
	c, err := container.NewClientWithNoCredential(values[v1alpha2.SecretKeyAzureSASToken], options)
	w.Must(err)
	return c
}

// TestClients use a container with each client, from the claim to its deletion, which must
// leave nothing. Of an access that is revoked the clients learn at once.
func TestClients(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			w := start(t, scheme == "https")
			claim := w.claim("photos")
			access := w.access(claim, "app", v1alpha2.BucketAccessModeReadWrite)
			if token := w.Secret("app")[v1alpha2.SecretKeyAzureSASToken]; !strings.HasPrefix(token, w.emu.Info().AzureEndpoint+"/") {
				t.Fatalf("the URI of the Secret is %s, and the service is at %s", withoutSignature(token), w.emu.Info().AzureEndpoint)
			}
			c := w.open("app")
			t.Run("azblob", func(t *testing.T) {
				if err := use(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
			t.Run("python", func(t *testing.T) { w.run(t, access, "python3", "-c", "import azure.storage.blob", "client.py") })
			t.Run("rclone", func(t *testing.T) { w.run(t, access, "sh", "-c", "rclone version", "client.sh") })
			if err := upload(t.Context(), c, "last", "content", nil); err != nil {
				t.Fatal(err)
			}
			w.Remove(access)
			w.WaitGone(access)
			_, err := c.NewBlobClient("last").GetProperties(t.Context(), nil)
			if !bloberror.HasCode(err, bloberror.AuthenticationFailed) {
				t.Errorf("with a revoked signature: %v", err)
			}
			w.access(claim, "again", v1alpha2.BucketAccessModeReadWrite)
			if err := deleteAll(t.Context(), w.open("again")); err != nil {
				t.Error(err)
			}
			again := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "again"}}
			w.Remove(again)
			w.WaitGone(again)
			w.Remove(claim)
			w.WaitGone(claim)
			w.Eventually(func() error {
				left, err := w.emu.Store().Buckets(t.Context())
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
func (w *world) run(t *testing.T, access *v1alpha2.BucketAccess, interpreter, option, check, script string) {
	t.Helper()
	interpreter = withModule(t.Context(), interpreter, option, check)
	if interpreter == "" {
		t.Skipf("%s is not installed", check)
	}
	variables, err := env.ForAccess(t.Context(), w.emu.Client(), w.emu.Info().API, client.ObjectKeyFromObject(access), "")
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
	if authority := w.emu.Info().S3CertificateAuthority; authority != "" {
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
	w := start(t, false)
	claim, other := w.claim("photos"), w.claim("other")
	w.access(claim, "rw", v1alpha2.BucketAccessModeReadWrite)
	w.access(claim, "ro", v1alpha2.BucketAccessModeReadOnly)
	w.access(claim, "wo", v1alpha2.BucketAccessModeWriteOnly)
	w.access(other, "foreign", v1alpha2.BucketAccessModeReadWrite)
	w.Must(upload(t.Context(), w.open("rw"), "x", "x", nil))
	const mismatch = bloberror.AuthorizationPermissionMismatch
	for name, want := range map[string]struct{ read, write, list bloberror.Code }{
		"rw": {}, "ro": {write: mismatch}, "wo": {read: mismatch, list: mismatch},
	} {
		c := w.open(name)
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
	_, query, _ := strings.Cut(w.Secret("foreign")[v1alpha2.SecretKeyAzureSASToken], "?")
	forged, err := container.NewClientWithNoCredential(withoutSignature(w.Secret("rw")[v1alpha2.SecretKeyAzureSASToken])+"?"+query, nil)
	w.Must(err)
	_, err = forged.NewBlobClient("x").GetProperties(t.Context(), nil)
	if !bloberror.HasCode(err, bloberror.AuthenticationFailed) {
		t.Errorf("with the signature of another container: %v", err)
	}
	if err := expect(t.Context(), w.open("ro").NewBlobClient("x"), "y", &blob.DownloadStreamOptions{}); err != nil {
		t.Error(err)
	}
	w.Must(deleteBlobs(t.Context(), w.open("rw")))
}

func hasCode(err error, code bloberror.Code) bool {
	if code == "" {
		return err == nil
	}
	return bloberror.HasCode(err, code)
}
