package contract_test

import (
	"errors"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func TestGet(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "null")
	f.put("gone", "x")
	f.must(f.SetVersioning(objects.Enabled))
	second := f.put("k", "second")
	marker := f.remove("gone", "").VersionID
	tests := map[string]struct {
		reason, key, id string
		want            string
		err             error
	}{
		"Newest":        {"without ID the newest is meant", "k", "", "second", nil},
		"ByID":          {"also if it is named", "k", second, "second", nil},
		"Null":          {"an older one", "k", objects.NullVersion, "null", nil},
		"BeforeMarker":  {"markers hide older versions only without ID", "gone", objects.NullVersion, "x", nil},
		"NoKey":         {"nothing is there", "other", "", "", s3error.ErrNoSuchKey},
		"NoKeyByID":     {"nothing is there, and it was named", "other", second, "", s3error.ErrNoSuchVersion},
		"NoVersion":     {"the object has no such version", "k", marker, "", s3error.ErrNoSuchVersion},
		"Deleted":       {"there is a marker on it", "gone", "", "", s3error.ErrNoSuchKey},
		"Marker":        {"a marker has no content", "gone", marker, "", s3error.ErrMethodNotAllowed},
		"KeysAreBytes":  {"keys are not folded", "K", "", "", s3error.ErrNoSuchKey},
		"PrefixIsNoKey": {"nor cut", "go", "", "", s3error.ErrNoSuchKey},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := f.text(tc.key, tc.id)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: Get(%q, %q) = %q, %v; want %q, %v", tc.reason, tc.key, tc.id, got, err, tc.want, tc.err)
			}
		})
	}
	f.checkReferences()
}

// A reader keeps its content, whatever happens to the object.
func TestReadOfDeleted(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "content")
	v, err := f.Get("k", "")
	f.must(err)
	f.put("k", "another")
	f.remove("k", "")
	f.must(f.store.DeleteBucket("b", true))
	if got := f.read(v.Body); got != "content" {
		t.Errorf("the deleted version has %q, want %q", got, "content")
	}
	v.Release()
	f.checkReferences()
}

// A marker is returned with the error, so that the response can describe it.
func TestMarkerIsReturned(t *testing.T) {
	f := newFixture(t, objects.Config{Versioning: objects.Enabled})
	id := f.remove("k", "").VersionID
	v, err := f.Get("k", "")
	if !errors.Is(err, s3error.ErrNoSuchKey) || v == nil || v.ID != id || !v.IsDeleteMarker {
		t.Fatalf("Get() = %+v, %v; want the marker %s with NoSuchKey", v, err, id)
	}
	v.Release()
}
