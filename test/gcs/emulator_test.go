package gcs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func options() emulator.Options {
	return emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS}}
}

// openBucket opens the bucket of a Secret with Google's client.
func openBucket(t *testing.T, emu *emulator.Emulator, secret map[string]string) *storage.BucketHandle {
	t.Helper()
	bucket, err := openGCS(t.Context(), emu.Info().GCSEndpoint, secret)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func write(ctx context.Context, o *storage.ObjectHandle, content []byte) error {
	w := o.NewWriter(ctx)
	_, err := w.Write(content)
	return errors.Join(err, w.Close())
}

func read(ctx context.Context, o *storage.ObjectHandle) ([]byte, error) {
	r, err := o.NewReader(ctx)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

func list(ctx context.Context, b *storage.BucketHandle) (names []string, err error) {
	for objects := b.Objects(ctx, nil); ; {
		next, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, next.Name)
	}
}

// statusOf is the status of an error of Google's client, 0 for none.
func statusOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	rejected, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		t.Fatalf("not an answer of GCS: %v", err)
	}
	return rejected.Code
}

// TestGCS uses a claim of GCS from the first request to the last, with only the Secret's contents.
func TestGCS(t *testing.T) {
	emu := emulatortest.Start(t, options())
	s := newStory(t, emu, v1alpha2.BucketAccessModes{
		ObjectData: v1alpha2.BucketAccessModeReadWrite, ObjectMetadata: v1alpha2.BucketAccessModeReadWrite,
	})
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	for key, want := range map[string]string{"COSI_PROTOCOL": "GCS", "PROJECT_ID": "cosi-emu", "AWS_ACCESS_KEY_ID": ""} {
		if secret[key] != want {
			t.Errorf("the Secret has %s=%q, want %q", key, secret[key], want)
		}
	}
	b := openBucket(t, emu, secret)
	useGCS(t, b)
	s.delete(s.access)
	s.waitGone(s.access)
	_, err := list(t.Context(), b)
	if got := statusOf(t, err); got != http.StatusUnauthorized {
		t.Errorf("with a revoked key: status %d", got)
	}
	s.delete(s.claim)
	s.waitGone(s.claim) // before its Bucket
	s.waitGone(&v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: s.claim.Status.BoundBucketName}})
	if buckets, err := emu.Store().Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("left: %v, %v", buckets, err)
	}
}

// useGCS does what applications do.
func useGCS(t *testing.T, b *storage.BucketHandle) {
	t.Helper()
	ctx := t.Context()
	large := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	for name, content := range map[string][]byte{"dir/hello.txt": []byte("hello"), "large": large} {
		if err := write(ctx, b.Object(name), content); err != nil {
			t.Fatal(err)
		}
		if got, err := read(ctx, b.Object(name)); err != nil || !bytes.Equal(got, content) {
			t.Errorf("read %s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := b.Object("copy").CopierFrom(b.Object("large")).Run(ctx); err != nil {
		t.Error(err)
	}
	attrs, err := b.Object("copy").Update(ctx, storage.ObjectAttrsToUpdate{Metadata: map[string]string{"colour": "red"}})
	if err != nil || attrs.Metadata["colour"] != "red" || attrs.Size != int64(len(large)) {
		t.Errorf("the copy: %+v, %v", attrs, err)
	}
	if names, err := list(ctx, b); strings.Join(names, " ") != "copy dir/hello.txt large" || err != nil {
		t.Errorf("list: %q, %v", names, err)
	}
	if err := b.Object("large").Delete(ctx); err != nil {
		t.Error(err)
	}
}

// TestGCSGrants checks what each mode of an access, another user's key, and no key grant.
func TestGCSGrants(t *testing.T) {
	emu := emulatortest.Start(t, options())
	modes := map[string]v1alpha2.BucketAccessMode{
		"rw": v1alpha2.BucketAccessModeReadWrite, "ro": v1alpha2.BucketAccessModeReadOnly, "wo": v1alpha2.BucketAccessModeWriteOnly,
	}
	owner := newStory(t, emu, v1alpha2.BucketAccessModes{ObjectData: modes["rw"]})
	owner.create(owner.claim, owner.access)
	owner.waitReady()
	secrets := map[string]map[string]string{"rw": owner.secret()}
	for _, name := range []string{"ro", "wo"} {
		access := newAccess(owner.claim, name, v1alpha2.BucketAccessModes{ObjectData: modes[name]})
		s := &story{t: t, emu: emu, claim: owner.claim, access: access}
		s.create(s.access)
		s.waitReady()
		secrets[name] = s.secret()
	}
	other := newStory(t, emu, v1alpha2.BucketAccessModes{ObjectData: modes["rw"]})
	other.create(other.claim, other.access)
	other.waitReady()
	secrets["other"] = with(other.secret(), "BUCKET_NAME", secrets["rw"]["BUCKET_NAME"])
	secrets["wrong"] = with(secrets["rw"], "HMAC_SECRET", "wrong")
	secrets["anonymous"] = with(with(secrets["rw"], "HMAC_SECRET", ""), "HMAC_ACCESS_ID", "")
	if err := write(t.Context(), openBucket(t, emu, secrets["rw"]).Object("x"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ read, write, list int }{
		"rw": {0, 0, 0}, "ro": {0, 403, 0}, "wo": {403, 0, 403},
		"other": {403, 403, 403}, "wrong": {401, 401, 401}, "anonymous": {401, 401, 401},
	} {
		b := openBucket(t, emu, secrets[name])
		_, read := read(t.Context(), b.Object("x"))
		_, list := list(t.Context(), b)
		got := struct{ read, write, list int }{
			statusOf(t, read), statusOf(t, write(t.Context(), b.Object("y"), []byte("y"))), statusOf(t, list),
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func with(secret map[string]string, key, value string) map[string]string {
	changed := maps.Clone(secret)
	changed[key] = value
	return changed
}
