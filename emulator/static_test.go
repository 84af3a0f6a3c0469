package emulator_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/staticdriver"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestStaticRecipe applies the recipe of docs/recipes.md for a bucket of a provider without a COSI driver. The provider is the store of
// an emulator. An application gets the keys of the administrator's Secret, which outlives the access, and no journal has them.
// Design: P20-STATIC-1, P20-STATIC-2, P20-STATIC-3
func TestStaticRecipe(t *testing.T) {
	driver := startStaticDriver(t)
	emu := emulatortest.Start(t, emulator.Options{SecretParametersFrom: []string{deploy.Namespace}})
	admin, key := rootClient(t, emu)
	theirs := bucket{client: admin, name: new("archive-2019")}
	if _, err := admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: theirs.name}); err != nil {
		t.Fatal(err)
	}
	if err := theirs.put(t.Context(), "old.txt", "from before"); err != nil {
		t.Fatal(err)
	}
	if _, err := emu.AddSidecar(t.Context(), "sidecar.static", cosisidecar.Options{Endpoint: driver}); err != nil {
		t.Fatal(err)
	}
	applyRecipe(t, emu, key)

	s := &story{t: t, emu: emu, claim: &v1alpha2.BucketClaim{}, access: &v1alpha2.BucketAccess{}}
	s.claim.Namespace, s.claim.Name = metav1.NamespaceDefault, "archive"
	s.access.Namespace, s.access.Name = metav1.NamespaceDefault, "archive"
	s.waitReady()
	granted := s.secret()
	ours := openBucket(granted)
	if keys, err := ours.list(t.Context()); err != nil || len(keys) != 1 || *ours.name != "archive-2019" {
		t.Errorf("the application sees %v in bucket %s, %v; want old.txt in archive-2019", keys, *ours.name, err)
	}
	if granted[v1alpha2.SecretKeyS3AccessKeyID] != key.AccessKeyID || granted[v1alpha2.SecretKeyS3SecretAccessKey] != key.SecretAccessKey {
		t.Error("the application has other keys than the administrator's")
	}
	s.delete(s.access)
	s.waitGone(s.access)
	s.waitGone(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "archive-credentials"}})
	kept := &corev1.Secret{}
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Namespace: deploy.Namespace, Name: "archive-keys"}, kept); err != nil {
		t.Errorf("the administrator's Secret: %v", err)
	}
	s.delete(s.claim)
	s.waitGone(s.claim)
	archive := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "archive"}}
	s.delete(archive)
	s.waitGone(archive)
	if keys, err := theirs.list(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("after all is deleted, the bucket has %v, %v; want old.txt", keys, err)
	}
	expectNoSecret(t, emu, granted)
}

// startStaticDriver runs the driver until the test ends, and returns its endpoint.
func startStaticDriver(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	endpoint := "unix://" + filepath.Join(t.TempDir(), "s.sock")
	go func() { ended <- staticdriver.Run(ctx, staticdriver.Options{Endpoint: endpoint}) }()
	t.Cleanup(func() {
		cancel()
		if err := harness.Receive(t, "the end of the static driver", ended); err != nil {
			t.Error(err)
		}
	})
	return endpoint
}

// applyRecipe applies the manifests of the recipe, with the store and the key of the emulator.
func applyRecipe(t *testing.T, emu *emulator.Emulator, key fakedriver.Credentials) {
	t.Helper()
	own := strings.NewReplacer(
		"https://s3.example.com", emu.Info().S3Endpoint, "eu-central-1", emu.Info().S3Region,
		"the-access-key-id", key.AccessKeyID, "the-secret-access-key", key.SecretAccessKey,
	)
	objects, err := manifest.Decode([]byte(own.Replace(string(examples.Static))))
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetKind() == "Secret" {
			t.Cleanup(func() { _ = emu.Client().Delete(context.Background(), object) })
		}
	}
	if err := manifest.Apply(t.Context(), emu.Client(), objects); err != nil {
		t.Fatal(err)
	}
}
