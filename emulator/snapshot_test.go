package emulator_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
)

// startOwn starts an emulator with a control plane of its own, which stop stops.
func startOwn(t *testing.T, opts emulator.Options) (emu *emulator.Emulator, stop func()) {
	t.Helper()
	emu, err := emulator.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("stop the emulator: %v", err)
		}
	})
	t.Cleanup(stop)
	return emu, stop
}

// TestSnapshotIdentical: what starts from a snapshot has the same objects, with the same
// UIDs and resource versions, the same keys and the same contents, with and without a data
// directory, and goes on.
func TestSnapshotIdentical(t *testing.T) { snapshotIsIdentical(t, emulator.ControlPlaneEmbedded) }

func TestProgramsSnapshotIdentical(t *testing.T) {
	binariestest.Find(t)
	snapshotIsIdentical(t, emulator.ControlPlaneEnvtest)
}

func snapshotIsIdentical(t *testing.T, kind emulator.ControlPlaneKind) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.snapshot")
	emu, stop := startOwn(t, emulator.Options{
		ControlPlaneKind: kind, TLS: true, S3Region: "us-west-2", Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS},
	})
	s := newOwnStory(t, emu, "photos")
	s.waitReady()
	secret := s.secret()
	if err := openSecurely(t, secret).put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatal(err)
	}
	info, err := emu.SaveSnapshot(t.Context(), file, false)
	if err != nil {
		t.Fatal(err)
	}
	before := versionsOf(t, emu)
	expectPrivate(t, file)
	if _, err := emu.SaveSnapshot(t.Context(), file, false); !errors.Is(err, emulator.ErrSnapshotExists) {
		t.Errorf("SaveSnapshot() to an existing file = %v, want ErrSnapshotExists", err)
	}
	stop()
	expectInspected(t, file, kind, info)

	data := filepath.Join(t.TempDir(), "data")
	for name, opts := range map[string]emulator.Options{
		"Temporary": {Snapshot: file}, "DataDir": {Snapshot: file, DataDir: data},
	} {
		t.Run(name, func(t *testing.T) {
			again, stop := startOwn(t, opts)
			s.emu = again
			expectIdentical(t, s, before, secret)
			newOwnStory(t, again, "later-"+strings.ToLower(name)).waitReady()
			stop()
		})
	}
	if _, err := emulator.Start(t.Context(), emulator.Options{Snapshot: file, DataDir: data}); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("Start() with a data directory that is in use = %v, want ErrOptions", err)
	}
	t.Run("DataDirAgain", func(t *testing.T) {
		again, _ := startOwn(t, emulator.Options{DataDir: data, ControlPlaneKind: kind, TLS: true})
		name := "Bucket/" + s.claim.Status.BoundBucketName
		if got := versionsOf(t, again); got[name] != before[name] {
			t.Error("the data directory does not have the contents of the snapshot")
		}
	})
}

// expectInspected expects the description of a snapshot with one object.
func expectInspected(t *testing.T, file string, kind emulator.ControlPlaneKind, saved emulator.SnapshotInfo) {
	t.Helper()
	inspected, err := emulator.InspectSnapshot(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(saved, inspected); diff != "" {
		t.Errorf("InspectSnapshot(): -saved, +read:\n%s", diff)
	}
	if inspected.ControlPlane != kind || inspected.Objects["BucketClaim"] != 1 || inspected.StoredObjects != 1 ||
		len(inspected.Buckets) != 1 {
		t.Errorf("InspectSnapshot() = %+v", inspected)
	}
}

// expectIdentical expects the objects of before, and a Secret that opens the same bucket.
func expectIdentical(t *testing.T, s *story, before, secret map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, versionsOf(t, s.emu)); diff != "" {
		t.Errorf("UIDs and resource versions: -before, +after:\n%s", diff)
	}
	if diff := cmp.Diff(secret, s.secret()); diff != "" {
		t.Error("the Secret has changed")
	}
	if keys, err := openSecurely(t, secret).list(t.Context()); err != nil || !slices.Contains(keys, "hello.txt") {
		t.Errorf("the bucket has %q, %v", keys, err)
	}
}

// newOwnStory is a story in namespace demo of an emulator with its own control plane.
func newOwnStory(t *testing.T, emu *emulator.Emulator, name string) *story {
	t.Helper()
	s := storyIn(t, emu, name)
	err := emu.Client().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	s.create(s.claim, s.access)
	return s
}

// storyIn returns a claim and an access in namespace demo, with its name.
func storyIn(t *testing.T, emu *emulator.Emulator, name string) *story {
	t.Helper()
	return &story{
		t: t, emu: emu,
		claim: &v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name},
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		},
		access: &v1alpha2.BucketAccess{
			ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name},
			Spec: v1alpha2.BucketAccessSpec{
				BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolS3,
				BucketClaims: []v1alpha2.BucketClaimAccess{{
					BucketClaimName: name, AccessSecretName: name + "-credentials",
					AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
				}},
			},
		},
	}
}

// versionsOf returns UID and resource version of every object of COSI and every Secret.
func versionsOf(t *testing.T, emu *emulator.Emulator) map[string]string {
	t.Helper()
	versions := map[string]string{}
	kinds := []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("Secret")}
	for _, kind := range []string{"Bucket", "BucketClaim", "BucketAccess", "BucketClass", "BucketAccessClass"} {
		kinds = append(kinds, emu.Info().API.GroupVersion().WithKind(kind))
	}
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		if err := emu.Client().List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			object := &list.Items[i]
			versions[kind.Kind+"/"+object.Name] = string(object.UID) + " " + object.ResourceVersion
		}
	}
	return versions
}
