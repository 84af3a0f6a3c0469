package emulator_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// rootClient returns a client with the root key of the store.
func rootClient(t *testing.T, emu *emulator.Emulator) (*s3.Client, fakedriver.Credentials) {
	t.Helper()
	content, err := os.ReadFile(emu.Info().S3RootKey)
	if err != nil {
		t.Fatal(err)
	}
	var key fakedriver.Credentials
	if err := json.Unmarshal(content, &key); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithBaseEndpoint(emu.Info().S3Endpoint), config.WithRegion(emu.Info().S3Region),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, "")))
	if err != nil {
		t.Fatal(err)
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), key
}

// bringIn creates a Bucket for an existing backend bucket, for the story's claim.
func (s *story) bringIn(name string) *v1alpha2.Bucket {
	s.t.Helper()
	bucket := &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha2.BucketSpec{
			DriverName: s.emu.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyRetain, ExistingBucketID: name,
			Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef: v1alpha2.BucketClaimReference{
				Namespace: s.claim.Namespace, Name: s.claim.Name,
			},
		},
	}
	s.claim.Spec.BucketClassName, s.claim.Spec.ExistingBucketName = "", name
	s.create(bucket)
	return bucket
}

// TestBrownfield is a bucket that was there before COSI: an application gets to
// read it, and it outlives all that COSI knows of it.
func TestBrownfield(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	admin, key := rootClient(t, emu)
	s := newStory(t, emu)
	name := "legacy-" + s.claim.Namespace
	if _, err := admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	theirs := bucket{client: admin, name: &name}
	if err := theirs.put(t.Context(), "old.txt", "from before"); err != nil {
		t.Fatal(err)
	}
	object := s.bringIn(name)
	s.access.Spec.BucketClaims[0].AccessModes.ObjectData = v1alpha2.BucketAccessModeReadOnly
	s.create(s.claim, s.access)
	s.waitReady()
	ours := openBucket(s.secret())
	if keys, err := ours.list(t.Context()); err != nil || len(keys) != 1 || *ours.name != name {
		t.Errorf("the application sees %v in bucket %s, %v; want old.txt in %s", keys, *ours.name, err, name)
	}
	if got := codeOf(t, ours.put(t.Context(), "new.txt", "hello")); got != "AccessDenied" {
		t.Errorf("the application writes: %q", got)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	s.delete(s.claim)
	s.waitGone(s.claim)
	s.delete(object)
	s.waitGone(object)
	if keys, err := theirs.list(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("after all is deleted, the bucket has %v, %v; want old.txt", keys, err)
	}
	expectNoSecret(t, emu, map[string]string{
		v1alpha2.SecretKeyS3AccessKeyID: s.secretKeyID(ours), v1alpha2.SecretKeyS3SecretAccessKey: key.SecretAccessKey,
	})
	expectPrivate(t, emu.Info().S3RootKey)
}

// secretKeyID returns the ID of the key with which a client signs.
func (s *story) secretKeyID(b bucket) string {
	s.t.Helper()
	c, err := b.client.Options().Credentials.Retrieve(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return c.AccessKeyID
}

func expectPrivate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v, %v; want 0600", path, info.Mode(), err)
	}
}

// TestRootKeyStays: with a directory for data, the key is the same after a
// restart, and the buckets that it has made are there.
func TestRootKeyStays(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var keys []fakedriver.Credentials
	for range 2 {
		t.Run("Start", func(t *testing.T) {
			emu := emulatortest.Start(t, emulator.Options{DataDir: data})
			admin, key := rootClient(t, emu)
			keys = append(keys, key)
			_, err := admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: new("legacy")})
			if want := []string{"", "BucketAlreadyOwnedByYou"}[len(keys)-1]; codeOf(t, err) != want {
				t.Errorf("CreateBucket() = %v, want %q", err, want)
			}
			checkContentFiles(t, emu, bucket{client: admin, name: new("legacy")})
		})
	}
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Error("the key has changed")
	}
}

// checkContentFiles expects that contents are on the disk until their objects are deleted:
// small ones in the database of the store, large ones in files.
func checkContentFiles(t *testing.T, emu *emulator.Emulator, b bucket) {
	t.Helper()
	for _, tc := range []struct {
		place string
		size  int
	}{{"store/store.db#", 10}, {"store/blobs/", 200_000}} {
		if err := b.put(t.Context(), "k", strings.Repeat("v", tc.size)); err != nil {
			t.Fatal(err)
		}
		if files, err := emu.Store().ContentFiles(); err != nil || len(files) != 1 || !strings.HasPrefix(files[0], tc.place) {
			t.Errorf("ContentFiles() = %q, %v after %d bytes, want one with the prefix %q", files, err, tc.size, tc.place)
		}
		if _, err := b.client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: b.name, Key: new("k")}); err != nil {
			t.Fatal(err)
		}
		if files, err := emu.Store().ContentFiles(); err != nil || len(files) > 0 {
			t.Errorf("ContentFiles() = %q, %v after the deletion, want none", files, err)
		}
	}
}

// TestNonEmptyBucketWaits: by default a bucket with objects stays until it is empty, and COSI
// reports so; then COSI deletes it without further help.
func TestNonEmptyBucketWaits(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.useBucketClass(nil)
	s.create(s.claim, s.access)
	s.waitReady()
	admin, _ := rootClient(t, emu)
	theirs := bucket{client: admin, name: openBucket(s.secret()).name}
	if err := theirs.put(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	object := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: *theirs.name}}
	s.delete(s.claim)
	const says = "is not empty: delete its objects"
	harness.Until(s.t, "the Bucket says why it is still there", func(ctx context.Context) (bool, error) {
		err := emu.Client().Get(ctx, keyOf(object), object)
		c := meta.FindStatusCondition(object.Status.Conditions, v1alpha2.ConditionProvisionFailed)
		return c != nil && strings.Contains(c.Message, says), err
	})
	s.waitGone(s.claim) // it does not wait for its Bucket
	harness.Until(s.t, "an event says it, too", func(ctx context.Context) (bool, error) { return s.hasEvent(ctx, object.Name, says) })
	if _, err := admin.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: theirs.name, Key: new("k")}); err != nil {
		t.Fatal(err)
	}
	s.waitGone(object)
}

// hasEvent reports whether an Event about an object has a text in its note.
func (s *story) hasEvent(ctx context.Context, name, text string) (bool, error) {
	list := &eventsv1.EventList{}
	err := s.emu.Client().List(ctx, list)
	return slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
		return e.Regarding.Name == name && strings.Contains(e.Note, text)
	}), err
}
