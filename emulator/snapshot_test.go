package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
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
		ControlPlaneKind: kind, TLS: true, Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS},
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

// TestSnapshotRejected starts nothing from a file, or with options, that do not fit.
func TestSnapshotRejected(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded})
	if _, err := emu.SaveSnapshot(t.Context(), good, false); err != nil {
		t.Fatal(err)
	}
	stop()
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	occupied := t.TempDir()
	if err := os.WriteFile(filepath.Join(occupied, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		content []byte
		mode    os.FileMode
		opts    emulator.Options
		want    error
		hint    string
	}{
		"Damaged":   {content: flip(content, len(content)-100), want: emulator.ErrSnapshotDamaged, hint: "save another snapshot"},
		"Manifest":  {content: flip(content, 200), want: emulator.ErrSnapshotDamaged, hint: "manifest"},
		"Truncated": {content: content[:len(content)/2], want: emulator.ErrSnapshotDamaged, hint: "should have"},
		"Headless":  {content: content[:40], want: emulator.ErrSnapshotDamaged},
		"Longer":    {content: append(slices.Clone(content), 'x'), want: emulator.ErrSnapshotDamaged, hint: "should have"},
		"Foreign":   {content: []byte("apiVersion: v1\nkind: Pod\n"), want: emulator.ErrSnapshotForeign, hint: "snapshot save"},
		"Empty":     {want: emulator.ErrSnapshotForeign},
		"Later": {
			content: []byte(strings.Replace(string(content), "cosi-emu.snapshot/v1 ", "cosi-emu.snapshot/v9 ", 1)),
			want:    emulator.ErrSnapshotFormat, hint: "use the version of cosi-emu that saved it",
		},
		"Readable": {content: content, mode: 0o644, want: emulator.ErrSnapshotMode, hint: "chmod 600"},
		"OtherPlane": {
			content: content, opts: emulator.Options{ControlPlaneKind: emulator.ControlPlaneEnvtest}, want: emulator.ErrOptions,
			hint: "choose control plane embedded",
		},
		"OtherVersion": {
			content: content, opts: emulator.Options{API: objectstorage.V1alpha1}, want: emulator.ErrOptions, hint: "kinds of v1alpha2",
		},
		"OtherDriver": {
			content: content, opts: emulator.Options{DriverNames: []string{"other.test"}}, want: emulator.ErrOptions,
			hint: "--driver-name " + fakedriver.DefaultName,
		},
		"TLS":      {content: content, opts: emulator.Options{TLS: true}, want: emulator.ErrOptions, hint: "start without TLS"},
		"NoDriver": {content: content, opts: emulator.Options{NoDriver: true}, want: emulator.ErrOptions, hint: "requires the fake driver"},
		"Occupied": {content: content, opts: emulator.Options{DataDir: occupied}, want: emulator.ErrOptions, hint: "is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, tc.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.mode != 0 {
				if err := os.Chmod(file, tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			tc.opts.Snapshot = file
			started := &phases{}
			tc.opts.Reporter = started
			_, err := emulator.Start(t.Context(), tc.opts)
			if !errors.Is(err, tc.want) || !errors.Is(err, emulator.ErrOptions) || !strings.Contains(fmt.Sprint(err), tc.hint) {
				t.Errorf("Start() = %v, want %v, and %q", err, tc.want, tc.hint)
			}
			if started.began {
				t.Error("a phase has begun")
			}
		})
	}
}

// phases notes whether any phase has begun.
type phases struct{ began bool }

func (p *phases) PhaseStarted(string)                   { p.began = true }
func (*phases) PhaseProgress(string, string)            {}
func (*phases) PhaseEnded(string, time.Duration, error) {}

// flip returns a copy with one bit changed.
func flip(content []byte, at int) []byte {
	changed := slices.Clone(content)
	changed[at] ^= 1
	return changed
}

// TestSnapshotUnsupported has no snapshot without the emulator's store.
func TestSnapshotUnsupported(t *testing.T) {
	emu, _ := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, NoDriver: true})
	if _, err := emu.SaveSnapshot(t.Context(), filepath.Join(t.TempDir(), "file"), false); !errors.Is(err, emulator.ErrSnapshotUnsupported) {
		t.Errorf("SaveSnapshot() = %v, want ErrSnapshotUnsupported", err)
	}
}
