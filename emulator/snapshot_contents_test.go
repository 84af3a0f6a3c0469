package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// saveAndStop saves a snapshot, and stops the emulator.
func saveAndStop(t *testing.T, emu *emulator.Emulator, stop func()) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "state.snapshot")
	if _, err := emu.SaveSnapshot(t.Context(), file, false); err != nil {
		t.Fatal(err)
	}
	stop()
	return file
}

// TestSnapshotGCS: an object of GCS is there after the start, and the key reads it.
func TestSnapshotGCS(t *testing.T) {
	emu, stop := startOwn(t, emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS},
	})
	s := storyIn(t, emu, "photos").use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{
		ObjectData: v1alpha2.BucketAccessModeReadWrite,
	})
	s.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	upload := emu.Info().GCSEndpoint + "/upload/storage/v1/b/" + secret["BUCKET_NAME"] + "/o?uploadType=media&name=hello.txt"
	askGCS(t, secret, http.MethodPost, upload, "hello")
	file := saveAndStop(t, emu, stop)
	info, err := emulator.InspectSnapshot(file)
	if err != nil || info.StoredObjects != 1 || info.StoredBytes != int64(len("hello")) || info.GCSPort == 0 {
		t.Errorf("InspectSnapshot() = %+v, %v; want one object, and a port of GCS", info, err)
	}

	again, _ := startOwn(t, emulator.Options{Snapshot: file})
	s.emu = again
	if diff := cmp.Diff(secret, s.secret()); diff != "" {
		t.Error("the Secret has changed")
	}
	content := askGCS(t, secret, http.MethodGet, again.Info().GCSEndpoint+"/"+secret["BUCKET_NAME"]+"/hello.txt", "")
	if content != "hello" {
		t.Errorf("the object is %q", content)
	}
}

// TestSnapshotOldGCS: a snapshot of an earlier version has objects of GCS in a folder of its own.
func TestSnapshotOldGCS(t *testing.T) {
	emu, stop := startOwn(t, emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS},
	})
	s := storyIn(t, emu, "photos").use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
	s.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	file := saveAndStop(t, emu, stop)

	opened, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, info := t.TempDir(), emulator.SnapshotInfo{}
	old := filepath.Join(dir, "gcs", secret["BUCKET_NAME"])
	if err := errors.Join(opened.Unpack(dir), opened.Describe(&info), os.MkdirAll(old, 0o700)); err != nil {
		t.Fatal(err)
	}
	object := `{"name":"hello.txt","generation":"1700000000000001","metageneration":"1","size":"5","crc32c":"mnG7TA==",` +
		`"storageClass":"STANDARD","timeCreated":"2025-01-02T03:04:05Z","updated":"2025-01-02T03:04:05Z"}` + "\nhello"
	if err := os.WriteFile(filepath.Join(old, "0123"), []byte(object), 0o600); err != nil {
		t.Fatal(err)
	}
	earlier := filepath.Join(t.TempDir(), "earlier.snapshot")
	if err := snapshot.Write(earlier, info, dir, false); err != nil {
		t.Fatal(err)
	}
	again, _ := startOwn(t, emulator.Options{Snapshot: earlier})
	content := askGCS(t, secret, http.MethodGet, again.Info().GCSEndpoint+"/"+secret["BUCKET_NAME"]+"/hello.txt", "")
	if content != "hello" {
		t.Errorf("the object is %q", content)
	}
}

// askGCS sends a request to GCS with the key of a Secret, and returns the body of the answer.
func askGCS(t *testing.T, secret map[string]string, method, address, body string) string {
	t.Helper()
	_, content := callGCS(t, secret, method, address, body)
	return content
}

// callGCS is askGCS with further headers, that also returns the headers of the response.
func callGCS(
	t *testing.T, secret map[string]string, method, address, body string, headers ...map[string]string,
) (header http.Header, content string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+secret["HMAC_ACCESS_ID"]+":"+secret["HMAC_SECRET"])
	for _, more := range headers {
		for name, value := range more {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	received, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %q, %v", method, address, response.Status, received, err)
	}
	return response.Header, string(received)
}

// TestSnapshotBridge: the IDs that the bridge has stored are restored, and it uses the buckets.
func TestSnapshotBridge(t *testing.T) {
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, Dialect: dialects.V1alpha1})
	s := newOwnStory(t, emu, "photos")
	s.waitReady()
	ids := filepath.Join(emu.Info().Dir, "run", emulator.ComponentBridge)
	if err := os.WriteFile(filepath.Join(ids, "other.json"), []byte(`{"key":"other","value":"id"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, ids)
	if len(before) < 2 {
		t.Fatalf("the bridge has stored nothing: %v", before)
	}
	file := saveAndStop(t, emu, stop)

	data := filepath.Join(t.TempDir(), "data")
	again, _ := startOwn(t, emulator.Options{Snapshot: file, DataDir: data})
	if !isBridged(again) {
		t.Error("the driver is not behind a bridge, as when the snapshot was saved")
	}
	if diff := cmp.Diff(before, filesOf(t, filepath.Join(data, emulator.ComponentBridge))); diff != "" {
		t.Errorf("the IDs of the bridge: -before, +after:\n%s", diff)
	}
	s.emu = again
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitDeprovisioned()
	if buckets, err := again.Store().Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("buckets are left: %v, %v", buckets, err)
	}
}

// filesOf returns the contents of the files in a directory that have IDs.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		contents[filepath.Base(name)] = string(content)
	}
	return contents
}

// TestSnapshotPort starts two emulators from a snapshot at a time, for both versions of the COSI
// kinds. The first has the ports of the snapshot, and changes no object. The second has other ports,
// which it reports. The sidecar of v1alpha2 writes them into the Secrets; the sidecar of v1alpha1
// does not.
func TestSnapshotPort(t *testing.T) {
	for api, tc := range map[objectstorage.Version]struct {
		secretOf func(*testing.T, *emulator.Emulator) map[string]string
		says     string
	}{
		objectstorage.V1alpha1: {secretV1alpha1, "create their BucketAccesses again"},
		objectstorage.V1alpha2: {secretV1alpha2, "applications must read them again"},
	} {
		t.Run(string(api), func(t *testing.T) {
			emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, API: api})
			provision(t, emu)
			secret := tc.secretOf(t, emu)
			if err := openBucket(secret).put(t.Context(), "hello.txt", "hello"); err != nil {
				t.Fatal(err)
			}
			before := versionsOf(t, emu)
			file := saveAndStop(t, emu, stop)

			first, _ := startOwn(t, emulator.Options{Snapshot: file})
			expectObject(t, secret, "hello.txt")
			if diff := cmp.Diff(before, versionsOf(t, first)); diff != "" || len(first.Info().Warnings) > 0 {
				t.Errorf("on the ports of the snapshot: warnings %q, -before, +after:\n%s", first.Info().Warnings, diff)
			}

			second, _ := startOwn(t, emulator.Options{Snapshot: file})
			endpoint := second.Info().S3Endpoint
			expectMoved(t, second, "S3 listens on port "+portOf(t, endpoint)+", and not on port "+
				portOf(t, first.Info().S3Endpoint)+" as before, which another program uses: ", tc.says)
			moved := maps.Clone(secret)
			moved[v1alpha2.SecretKeyS3Endpoint] = endpoint
			expectObject(t, moved, "hello.txt")
			if api == objectstorage.V1alpha1 {
				moved = secret
			}
			harness.Eventually(t, "the Secret has the right endpoint", func(context.Context) error {
				if diff := cmp.Diff(moved, tc.secretOf(t, second)); diff != "" {
					return fmt.Errorf("-want, +got:\n%s", diff)
				}
				return nil
			})
		})
	}
}

// expectMoved expects a warning of an emulator.
func expectMoved(t *testing.T, emu *emulator.Emulator, begins, says string) {
	t.Helper()
	warnings := emu.Info().Warnings
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], begins) || !strings.Contains(warnings[0], says) {
		t.Errorf("the warnings are %q, want one that begins with %q, and says %q", warnings, begins, says)
	}
}

func portOf(t *testing.T, endpoint string) string {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// TestSnapshotWantedPort: the options name another port than the snapshot has, which the emulator reports.
func TestSnapshotWantedPort(t *testing.T) {
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded})
	file := saveAndStop(t, emu, stop)
	port := harness.FreePort(t)
	again, _ := startOwn(t, emulator.Options{Snapshot: file, S3Port: port})
	saved := portOf(t, emu.Info().S3Endpoint)
	expectMoved(t, again, fmt.Sprintf("S3 listens on port %d, and not on port %s as before: ", port, saved), "Secrets")
}

// provision creates a claim with an access, demo/photos, and waits until both are ready.
func provision(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	if emu.Info().API == objectstorage.V1alpha2 {
		newOwnStory(t, emu, "photos").waitReady()
		return
	}
	meta := metav1.ObjectMeta{Namespace: "demo", Name: "photos"}
	claim := &v1alpha1.BucketClaim{ObjectMeta: meta, Spec: v1alpha1.BucketClaimSpec{
		BucketClassName: emulator.ClassStandard, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
	}}
	access := &v1alpha1.BucketAccess{ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{
		BucketClaimName: "photos", Protocol: v1alpha1.ProtocolS3, BucketAccessClassName: emulator.ClassStandard,
		CredentialsSecretName: "photos-credentials",
	}}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, claim, access} {
		if err := emu.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	harness.Until(t, "claim and access are ready", func(ctx context.Context) (bool, error) {
		if err := emu.Client().Get(ctx, client.ObjectKeyFromObject(access), access); err != nil {
			return false, err
		}
		return access.Status.AccessGranted, nil
	})
}

// secretV1alpha2 returns the Secret of demo/photos.
func secretV1alpha2(t *testing.T, emu *emulator.Emulator) map[string]string {
	t.Helper()
	return storyIn(t, emu, "photos").secret()
}

// secretV1alpha1 returns the contents of the Secret of demo/photos, below the keys of v1alpha2.
func secretV1alpha1(t *testing.T, emu *emulator.Emulator) map[string]string {
	t.Helper()
	info, err := v1alpha1.ParseBucketInfo([]byte(secretV1alpha2(t, emu)[v1alpha1.BucketInfoKey]))
	if err != nil || info.Spec.SecretS3 == nil {
		t.Fatalf("the Secret says %+v, %v", info, err)
	}
	return map[string]string{
		v1alpha2.SecretKeyBucketName: info.Spec.BucketName, v1alpha2.SecretKeyS3AddressingStyle: v1alpha2.S3AddressingStylePath,
		v1alpha2.SecretKeyS3Endpoint: info.Spec.SecretS3.Endpoint, v1alpha2.SecretKeyS3Region: info.Spec.SecretS3.Region,
		v1alpha2.SecretKeyS3AccessKeyID:     info.Spec.SecretS3.AccessKeyID,
		v1alpha2.SecretKeyS3SecretAccessKey: info.Spec.SecretS3.AccessSecretKey,
	}
}

func expectObject(t *testing.T, secret map[string]string, key string) {
	t.Helper()
	if keys, err := openBucket(secret).list(t.Context()); err != nil || !slices.Contains(keys, key) {
		t.Errorf("the bucket has %q, %v; want %s", keys, err, key)
	}
}

// observedPlane calls a function when the objects are about to be copied.
type observedPlane struct {
	*embedded.ControlPlane
	beforeCopy func()
}

func (p *observedPlane) SaveData(ctx context.Context, dir string) error {
	p.beforeCopy()
	return p.ControlPlane.SaveData(ctx, dir)
}

// claimPatience is the time that a claim has to become ready in TestSnapshotHeld. It cannot
// become ready, so that the time does not decide whether the test passes.
const claimPatience = 2 * time.Second

// TestSnapshotHeld creates a claim after the store is held, and before the objects are copied:
// the snapshot has no Bucket that is ready without its backend bucket. After the snapshot, the
// claim becomes ready.
func TestSnapshotHeld(t *testing.T) {
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	own, err := embedded.Start(t.Context(), controlplane.Options{Dir: filepath.Join(t.TempDir(), "plane"), CRDs: kinds})
	if err != nil {
		t.Fatal(err)
	}
	plane := &observedPlane{ControlPlane: own}
	t.Cleanup(func() {
		if err := own.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	emu, _ := startOwn(t, emulator.Options{ControlPlane: plane})
	first := newOwnStory(t, emu, "photos")
	first.waitReady()
	late := storyIn(t, emu, "late")
	plane.beforeCopy = func() {
		late.create(late.claim)
		ctx, cancel := context.WithTimeout(t.Context(), claimPatience)
		defer cancel()
		for ctx.Err() == nil && !late.claim.Status.ReadyToUse {
			_ = emu.Client().Get(ctx, client.ObjectKeyFromObject(late.claim), late.claim)
		}
	}
	file := filepath.Join(t.TempDir(), "state.snapshot")
	if _, err := emu.SaveSnapshot(t.Context(), file, false); err != nil {
		t.Fatal(err)
	}
	expectConsistent(t, emulator.ControlPlaneEmbedded, file, acknowledged{bucket: *openBucket(first.secret()).name})
	late.create(late.access)
	late.waitReady()
}
