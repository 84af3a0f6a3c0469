package emulator_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestSnapshotConsistent takes snapshots while claims come and go, and objects are written. The
// state in each file is consistent before any component can fix it: every ready Bucket has its
// backend bucket, the keys of every ready access work, and the file has every write that was
// acknowledged before the snapshot.
func TestSnapshotConsistent(t *testing.T) { snapshotsAreConsistent(t, emulator.ControlPlaneEmbedded) }

func TestProgramsSnapshotConsistent(t *testing.T) {
	binariestest.Find(t)
	snapshotsAreConsistent(t, emulator.ControlPlaneEnvtest)
}

func snapshotsAreConsistent(t *testing.T, kind emulator.ControlPlaneKind) {
	t.Helper()
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: kind})
	busy := startWriters(t, emu)
	dir := t.TempDir()
	var taken []acknowledged
	count := 4
	if kind == emulator.ControlPlaneEnvtest {
		count = 2 // each is opened with a control plane of its own, which takes seconds
	}
	for n := range count {
		busy.awaitProgress()
		before := busy.snapshot()
		if _, err := emu.SaveSnapshot(t.Context(), filepath.Join(dir, fmt.Sprint(n)), false); err != nil {
			t.Fatal(err)
		}
		taken = append(taken, before)
	}
	busy.stop()
	stop()
	for n, before := range taken {
		t.Run(fmt.Sprint(n), func(t *testing.T) { expectConsistent(t, kind, filepath.Join(dir, fmt.Sprint(n)), before) })
	}
}

// acknowledged is what clients know at a moment.
type acknowledged struct {
	claims  map[string]string // UIDs of claims that are ready and stay, by name
	objects []string          // keys in the bucket of the story
	bucket  string
}

// writers change an emulator until they are stopped.
type writers struct {
	t      *testing.T
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu    sync.Mutex
	known acknowledged
}

func startWriters(t *testing.T, emu *emulator.Emulator) *writers {
	t.Helper()
	first := newOwnStory(t, emu, "photos")
	first.waitReady()
	bucket := openBucket(first.secret())
	ctx, cancel := context.WithCancel(t.Context())
	w := &writers{t: t, cancel: cancel, known: acknowledged{claims: map[string]string{}, bucket: *bucket.name}}
	t.Cleanup(w.stop)
	w.all.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			key := fmt.Sprintf("object-%05d", n)
			if err := bucket.put(ctx, key, strings.Repeat(key, 1+n%20_000)); err == nil {
				w.mu.Lock()
				w.known.objects = append(w.known.objects, key)
				w.mu.Unlock()
			}
		}
	})
	for series := range 3 {
		w.all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				w.provision(ctx, emu, fmt.Sprintf("claim-%d-%d", series, n), n%2 == 0)
			}
		})
	}
	return w
}

// provision creates a claim with an access, and deletes both again unless they stay.
func (w *writers) provision(ctx context.Context, emu *emulator.Emulator, name string, stays bool) {
	s := storyIn(w.t, emu, name)
	if emu.Client().Create(ctx, s.claim) != nil || emu.Client().Create(ctx, s.access) != nil {
		return
	}
	for ctx.Err() == nil && (!s.claim.Status.ReadyToUse || !s.access.Status.ReadyToUse) {
		_ = emu.Client().Get(ctx, client.ObjectKeyFromObject(s.claim), s.claim)
		_ = emu.Client().Get(ctx, client.ObjectKeyFromObject(s.access), s.access)
	}
	if ctx.Err() != nil {
		return
	}
	if stays {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.known.claims[name] = string(s.claim.UID)
		return
	}
	_ = emu.Client().Delete(ctx, s.access)
	_ = emu.Client().Delete(ctx, s.claim)
}

// awaitProgress returns when each kind of change was made again.
func (w *writers) awaitProgress() {
	w.t.Helper()
	before := w.snapshot()
	harness.Until(w.t, "claims and objects are written", func(context.Context) (bool, error) {
		now := w.snapshot()
		return len(now.claims) > len(before.claims) && len(now.objects) > len(before.objects), nil
	})
}

func (w *writers) snapshot() acknowledged {
	w.mu.Lock()
	defer w.mu.Unlock()
	return acknowledged{claims: maps.Clone(w.known.claims), objects: slices.Clone(w.known.objects), bucket: w.known.bucket}
}

func (w *writers) stop() {
	w.cancel()
	w.all.Wait()
}

// expectConsistent opens a snapshot without any component of COSI.
func expectConsistent(t *testing.T, kind emulator.ControlPlaneKind, file string, before acknowledged) {
	t.Helper()
	c, backend := openParts(t, kind, file)
	ready := expectBuckets(t, c, backend)
	keys := expectKeys(t, c, backend)
	contents, err := backend.Contents(t.Context(), before.bucket, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range before.objects {
		if !slices.Contains(contents.Keys, key) {
			t.Errorf("object %s was acknowledged before the snapshot, and is missing", key)
		}
	}
	for name, uid := range before.claims {
		claim := &v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name}}
		err := c.Get(t.Context(), client.ObjectKeyFromObject(claim), claim)
		if err != nil || string(claim.UID) != uid || !claim.Status.ReadyToUse {
			t.Errorf("claim %s was ready before the snapshot, and is %+v, %v", name, claim.Status, err)
		}
	}
	t.Logf("%d Buckets and %d accesses are ready; %d claims and %d objects were acknowledged",
		ready, keys, len(before.claims), len(before.objects))
}

// openParts starts an API server with the objects of a snapshot, and opens its store.
func openParts(t *testing.T, on emulator.ControlPlaneKind, file string) (client.Client, *store.Store) {
	t.Helper()
	dir := t.TempDir()
	opened, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Unpack(dir); err != nil {
		t.Fatal(err)
	}
	plane := controlplanetest.StartKind(t, kind.Kind(on), controlplane.Options{
		Data: filepath.Join(dir, "controlplane"), NoControllers: true,
	})
	scheme, err := emulator.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(plane.AdminConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	backend, err := store.New(store.Options{Dir: filepath.Join(dir, "store")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	return c, backend
}

// expectBuckets expects the backend bucket of every Bucket that is ready.
func expectBuckets(t *testing.T, c client.Client, backend *store.Store) (ready int) {
	t.Helper()
	var buckets v1alpha2.BucketList
	if err := c.List(t.Context(), &buckets); err != nil {
		t.Fatal(err)
	}
	for _, b := range buckets.Items {
		if !b.Status.ReadyToUse || !b.DeletionTimestamp.IsZero() {
			continue // its backend bucket may be deleted already
		}
		ready++
		if _, err := backend.GetBucket(t.Context(), b.Status.BucketID); err != nil {
			t.Errorf("Bucket %s is ready, and its backend bucket: %v", b.Name, err)
		}
	}
	return ready
}

// expectKeys expects that every ready access has the keys of an account.
func expectKeys(t *testing.T, c client.Client, backend *store.Store) (ready int) {
	t.Helper()
	var accesses v1alpha2.BucketAccessList
	if err := c.List(t.Context(), &accesses); err != nil {
		t.Fatal(err)
	}
	for _, a := range accesses.Items {
		if !a.Status.ReadyToUse || !a.DeletionTimestamp.IsZero() {
			continue
		}
		ready++
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: a.Spec.BucketClaims[0].AccessSecretName}}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Errorf("access %s is ready, and its Secret: %v", a.Name, err)
			continue
		}
		id, key := string(secret.Data[v1alpha2.SecretKeyS3AccessKeyID]), string(secret.Data[v1alpha2.SecretKeyS3SecretAccessKey])
		if _, err := backend.Authenticate(id, key); err != nil {
			t.Errorf("access %s is ready, and its key: %v", a.Name, err)
		}
	}
	return ready
}
