package emulator_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// serveOld serves a fake driver of v1alpha1, which chooses its IDs, and returns its endpoint.
func serveOld(t *testing.T) string {
	t.Helper()
	backend, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	driver, err := fakedriver.New(fakedriver.Options{Dialect: dialects.V1alpha1, IDs: fakedriver.IDsOwn, Backend: backend, Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "unix://" + filepath.Join(harness.SocketDir(t), "old.sock")
	listener, err := fakedriver.Listen(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- driver.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return endpoint
}

// TestBucketView verifies that a driver of v1alpha1 behind a bridge can read the Buckets of its calls in its own version, with
// its own ID, and can only read.
func TestBucketView(t *testing.T) {
	t.Parallel()
	emu, _ := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, Driver: serveOld(t)})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	stored := &v1alpha2.Bucket{}
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Name: s.claim.Status.BoundBucketName}, stored); err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", emu.Info().DriverVariables[subprocess.VariableKubeconfig])
	if err != nil {
		t.Fatal(err)
	}
	driver := clientOf(t, cfg)
	all := &v1alpha1.BucketList{}
	if err := driver.List(t.Context(), all); err != nil || len(all.Items) != 1 {
		t.Fatalf("%d Buckets, %v", len(all.Items), err)
	}
	bucket := &v1alpha1.Bucket{}
	if err := driver.Get(t.Context(), client.ObjectKeyFromObject(stored), bucket); err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.Bucket{
		Spec: v1alpha1.BucketSpec{
			DriverName: stored.Spec.DriverName, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}, Parameters: stored.Spec.Parameters,
			DeletionPolicy: v1alpha1.DeletionPolicyDelete, BucketClaim: &corev1.ObjectReference{
				APIVersion: v1alpha2.SchemeGroupVersion.String(), Kind: "BucketClaim",
				Namespace: s.claim.Namespace, Name: s.claim.Name, UID: s.claim.UID,
			},
		},
		Status: v1alpha1.BucketStatus{BucketReady: true, BucketID: bucket.Status.BucketID},
	}
	if diff := cmp.Diff([]any{want.Spec, want.Status}, []any{bucket.Spec, bucket.Status}); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if listed := all.Items[0]; !cmp.Equal(bucket.Spec, listed.Spec) || !cmp.Equal(bucket.Status, listed.Status) {
		t.Errorf("in a list it is %+v", listed)
	}
	if own := bucket.Status.BucketID; own == "" || own == stored.Status.BucketID {
		t.Errorf("the driver's ID is %q, the ID in the Bucket %q: not the driver's own", own, stored.Status.BucketID)
	}
	wantReadOnly(t, emu, driver, bucket)
}

func clientOf(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	scheme, err := emulator.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantReadOnly verifies that an emulator serves v1alpha2 for applications, and that neither the driver nor an administrator can write
// a Bucket of v1alpha1.
func wantReadOnly(t *testing.T, emu *emulator.Emulator, driver client.Client, bucket *v1alpha1.Bucket) {
	t.Helper()
	if err := driver.Update(t.Context(), bucket); !apierrors.IsForbidden(err) {
		t.Errorf("the driver writes: %v", err)
	}
	versions, err := existingcluster.ServedVersions(t.Context(), emu.Config())
	if diff := cmp.Diff([]string{string(objectstorage.V1alpha2)}, versions); diff != "" || err != nil {
		t.Errorf("versions of COSI: -want, +got:\n%s%v", diff, err)
	}
	bucket.Labels = map[string]string{"a": "b"}
	if err := clientOf(t, emu.Config()).Update(t.Context(), bucket); err == nil || !strings.Contains(err.Error(), "change it in v1alpha2") {
		t.Errorf("an administrator writes: %v", err)
	}
}
