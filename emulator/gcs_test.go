package emulator_test

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

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func everyProtocol() emulator.Options {
	return emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}}
}

// use makes the story be of a protocol and of modes.
func (s *story) use(protocol v1alpha2.Protocol, modes v1alpha2.BucketAccessModes) *story {
	s.claim.Spec.Protocols = []v1alpha2.Protocol{protocol}
	s.access.Spec.Protocol = protocol
	s.access.Spec.BucketClaims[0].AccessModes = modes
	return s
}

// gcsBucket opens the bucket of a Secret with Google's client.
func gcsBucket(t *testing.T, emu *emulator.Emulator, secret map[string]string) *storage.BucketHandle {
	t.Helper()
	bucket, err := openGCS(t.Context(), emu.Info().GCSEndpoint, secret)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func gcsWrite(ctx context.Context, o *storage.ObjectHandle, content []byte) error {
	w := o.NewWriter(ctx)
	_, err := w.Write(content)
	return errors.Join(err, w.Close())
}

func gcsRead(ctx context.Context, o *storage.ObjectHandle) ([]byte, error) {
	r, err := o.NewReader(ctx)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

func gcsList(ctx context.Context, b *storage.BucketHandle) (names []string, err error) {
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

// gcsStatus is the status of an error of Google's client, 0 for none.
func gcsStatus(t *testing.T, err error) int {
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

// TestGCS is a claim of GCS, from the first request to the last, with what the
// Secret holds.
func TestGCS(t *testing.T) {
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{
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
	b := gcsBucket(t, emu, secret)
	useGCS(t, b)
	s.delete(s.access)
	s.waitGone(s.access)
	_, err := gcsList(t.Context(), b)
	if got := gcsStatus(t, err); got != http.StatusUnauthorized {
		t.Errorf("with a revoked key: status %d", got)
	}
	s.delete(s.claim)
	s.waitDeprovisioned()
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
		if err := gcsWrite(ctx, b.Object(name), content); err != nil {
			t.Fatal(err)
		}
		if got, err := gcsRead(ctx, b.Object(name)); err != nil || !bytes.Equal(got, content) {
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
	if names, err := gcsList(ctx, b); strings.Join(names, " ") != "copy dir/hello.txt large" || err != nil {
		t.Errorf("list: %q, %v", names, err)
	}
	if err := b.Object("large").Delete(ctx); err != nil {
		t.Error(err)
	}
}

// TestGCSGrants checks what each mode of an access, another user's key, and no key grant.
func TestGCSGrants(t *testing.T) {
	emu := emulatortest.Start(t, everyProtocol())
	modes := map[string]v1alpha2.BucketAccessMode{
		"rw": v1alpha2.BucketAccessModeReadWrite, "ro": v1alpha2.BucketAccessModeReadOnly, "wo": v1alpha2.BucketAccessModeWriteOnly,
	}
	owner := newStory(t, emu).use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{ObjectData: modes["rw"]})
	owner.create(owner.claim, owner.access)
	owner.waitReady()
	secrets := map[string]map[string]string{"rw": owner.secret()}
	for _, name := range []string{"ro", "wo"} {
		s := &story{t: t, emu: emu, claim: owner.claim, access: owner.access.DeepCopy()}
		s.access.Name, s.access.ResourceVersion = name, ""
		s.access.Spec.BucketClaims[0].AccessSecretName = name
		s.access.Spec.BucketClaims[0].AccessModes.ObjectData = modes[name]
		s.create(s.access)
		s.waitReady()
		data, err := s.secretOf(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		secrets[name] = data
	}
	other := newStory(t, emu).use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{ObjectData: modes["rw"]})
	other.create(other.claim, other.access)
	other.waitReady()
	secrets["other"] = with(other.secret(), "BUCKET_NAME", secrets["rw"]["BUCKET_NAME"])
	secrets["wrong"] = with(secrets["rw"], "HMAC_SECRET", "wrong")
	secrets["anonymous"] = with(with(secrets["rw"], "HMAC_SECRET", ""), "HMAC_ACCESS_ID", "")
	if err := gcsWrite(t.Context(), gcsBucket(t, emu, secrets["rw"]).Object("x"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ read, write, list int }{
		"rw": {0, 0, 0}, "ro": {0, 403, 0}, "wo": {403, 0, 403},
		"other": {403, 403, 403}, "wrong": {401, 401, 401}, "anonymous": {401, 401, 401},
	} {
		b := gcsBucket(t, emu, secrets[name])
		_, read := gcsRead(t.Context(), b.Object("x"))
		_, list := gcsList(t.Context(), b)
		got := struct{ read, write, list int }{
			gcsStatus(t, read), gcsStatus(t, gcsWrite(t.Context(), b.Object("y"), []byte("y"))), gcsStatus(t, list),
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

// TestProtocolOptions: invalid options are rejected before anything starts.
func TestProtocolOptions(t *testing.T) {
	for name, opts := range map[string]emulator.Options{
		"Unknown": {Protocols: []fakedriver.Protocol{"FTP"}},
		"None":    {Protocols: []fakedriver.Protocol{}},
		"Twice":   {Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS, fakedriver.ProtocolGCS}},
		"Port":    {GCSPort: 9090},
		"Range":   {Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}, GCSPort: 65536},
		"Driver":  {Driver: "unix:///tmp/driver.sock", Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}},
	} {
		emu, err := emulator.Start(t.Context(), opts)
		if err == nil {
			t.Fatalf("%s: Start() succeeded, and Stop() = %v", name, emu.Stop(t.Context()))
		}
		if !errors.Is(err, emulator.ErrOptions) {
			t.Errorf("%s: Start() = %v", name, err)
		}
	}
}
