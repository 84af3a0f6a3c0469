package contract_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type tags = map[string]string

// tagsOf returns the tags of all versions of the key k, newest first.
func (f *fixture) tagsOf() []tags {
	all := []tags{}
	for _, v := range f.ListVersions(objects.Query{Prefix: "k", Max: 100}).Versions {
		all = append(all, v.Attributes.Tags)
	}
	return all
}

func TestRetag(t *testing.T) {
	tests := map[string]struct {
		reason, script, age string
		want                []tags
		err                 error
	}{
		"Only":          {"the one that is there", "put a", "", []tags{{"x": "y"}}, nil},
		"Newest":        {"without ID the newest is meant", "enable; put a; put b; put c", "", []tags{{"x": "y"}, nil, nil}, nil},
		"Middle":        {"each version has its own", "enable; put a; put b; put c", "1", []tags{nil, {"x": "y"}, nil}, nil},
		"Oldest":        {"also the last one", "enable; put a; put b; put c", "2", []tags{nil, nil, {"x": "y"}}, nil},
		"BelowMarker":   {"also of what is hidden", "enable; put a; delete", "1", []tags{nil, {"x": "y"}}, nil},
		"Null":          {"null versions have names", "put a; enable; put b", "null", []tags{nil, {"x": "y"}}, nil},
		"Deleted":       {"an object that is deleted is not there", "enable; put a; delete", "", []tags{nil, nil}, s3error.ErrNoSuchKey},
		"Marker":        {"a marker has none", "enable; put a; delete", "0", []tags{nil, nil}, s3error.ErrMethodNotAllowed},
		"Nothing":       {"nothing is there", "delete", "", []tags{}, s3error.ErrNoSuchKey},
		"NoSuchVersion": {"the object has no such version", "put a", "other", []tags{nil}, s3error.ErrNoSuchVersion},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			before := history(f, tc.script)
			_, err := f.Retag("k", f.versionID(tc.age), tags{"x": "y"})
			if !errors.Is(err, tc.err) {
				t.Errorf("%s: Retag() = %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, f.tagsOf()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, f.shown()); diff != "" {
				t.Errorf("%s: tags change nothing else (-before +after):\n%s", tc.reason, diff)
			}
			f.checkReferences()
		})
	}
}

func TestTagsGo(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "a")
	_, err := f.Retag("k", "", tags{"x": "y"})
	f.must(err)
	_, err = f.Retag("k", "", nil)
	f.must(err)
	if diff := cmp.Diff([]tags{nil}, f.tagsOf()); diff != "" {
		t.Errorf("nil removes all tags (-want +got):\n%s", diff)
	}
	_, err = f.Retag("k", "", tags{"x": "y"})
	f.must(err)
	f.put("k", "b")
	if diff := cmp.Diff([]tags{nil}, f.tagsOf()); diff != "" {
		t.Errorf("what replaces an object has its own tags (-want +got):\n%s", diff)
	}
}

func TestBucketTags(t *testing.T) {
	given := tags{"a": "b"}
	f := newFixture(t, objects.Config{Tags: given})
	given["a"] = "changed by the caller"
	if diff := cmp.Diff(tags{"a": "b"}, f.Config().Tags); diff != "" {
		t.Errorf("the bucket begins with a copy (-want +got):\n%s", diff)
	}
	f.Config().Tags["a"] = "changed by a reader"
	if diff := cmp.Diff(tags{"a": "b"}, f.Config().Tags); diff != "" {
		t.Errorf("readers get copies (-want +got):\n%s", diff)
	}
	f.must(f.SetTags(tags{"c": "d"}))
	if diff := cmp.Diff(tags{"c": "d"}, f.Config().Tags); diff != "" {
		t.Errorf("all tags are replaced (-want +got):\n%s", diff)
	}
	f.must(f.SetTags(nil))
	if got := f.Config().Tags; len(got) != 0 {
		t.Errorf("the tags are %v, want none", got)
	}
}
