package contract_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func TestDeleteBucket(t *testing.T) {
	tests := map[string]struct {
		reason, script string
		purge          bool
		want           error
	}{
		"Empty":       {"nothing is in it", "delete", false, nil},
		"Emptied":     {"nothing is in it any more", "put a; delete", false, nil},
		"Object":      {"it holds one", "put a", false, s3error.ErrBucketNotEmpty},
		"OldVersions": {"deleted objects count", "enable; put a; delete", false, s3error.ErrBucketNotEmpty},
		"Marker":      {"markers count, as in S3", "enable; delete", false, s3error.ErrBucketNotEmpty},
		"Purge":       {"all of it is to go", "enable; put a; put b; delete; put c", true, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			history(f, tc.script)
			if err := f.store.DeleteBucket("b", tc.purge); !errors.Is(err, tc.want) {
				t.Fatalf("%s: DeleteBucket() = %v, want %v", tc.reason, err, tc.want)
			}
			if tc.want != nil {
				f.checkReferences()
				return
			}
			f.checkGone()
		})
	}
}

// checkGone expects that nothing of the bucket remains, and that nothing can be added by holders of
// its old reference.
func (f *fixture) checkGone() {
	f.Helper()
	if _, err := f.store.Bucket("b"); !errors.Is(err, s3error.ErrNoSuchBucket) {
		f.Errorf("Bucket() = %v, want NoSuchBucket", err)
	}
	if err := f.store.DeleteBucket("b", true); !errors.Is(err, s3error.ErrNoSuchBucket) {
		f.Errorf("DeleteBucket() again = %v, want NoSuchBucket", err)
	}
	references, blobs := f.blobs.held()
	if references != 0 || blobs != 0 || f.blobs.recorded() != 0 || f.Used() != (objects.Quota{}) {
		f.Errorf("%d references, %d blobs, %d records and %+v are left", references, blobs, f.blobs.recorded(), f.Used())
	}
	d, done := f.draft("late")
	defer done()
	_, put := f.Put("k", d, objects.Conditions{})
	_, removed := f.Delete("k", "", objects.Conditions{}, objects.BypassNothing)
	_, created := f.BeginUpload(objects.Upload{Key: "k"})
	_, retagged := f.Retag("k", "", nil)
	for name, err := range map[string]error{
		"Put": put, "Delete": removed, "BeginUpload": created, "Retag": retagged,
		"SetTags": f.SetTags(nil), "SetVersioning": f.SetVersioning(objects.Enabled),
	} {
		if !errors.Is(err, s3error.ErrNoSuchBucket) {
			f.Errorf("%s() in a bucket that is gone = %v, want NoSuchBucket", name, err)
		}
	}
}

func TestCreateBucketTwice(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "a")
	if err := f.store.CreateBucket("b", objects.Config{}); err == nil {
		t.Error("a bucket was created in place of another")
	}
	if got, err := f.text("k", ""); got != "a" || err != nil {
		t.Errorf("the bucket has %q, %v; want what it had", got, err)
	}
}

func TestSetVersioning(t *testing.T) {
	f := newFixture(t, objects.Config{})
	for _, state := range []objects.Versioning{objects.Unversioned, "enabled", "Off"} {
		if err := f.SetVersioning(state); !errors.Is(err, s3error.ErrIllegalVersioningConfiguration) {
			t.Errorf("SetVersioning(%q) = %v, want IllegalVersioningConfigurationException", state, err)
		}
	}
	if got := f.Versioning(); got != objects.Unversioned {
		t.Errorf("Versioning() = %q after what was rejected", got)
	}
}

// A change that the blob store rejects has not happened.
func TestRejectedByStorage(t *testing.T) {
	f := newFixture(t, objects.Config{Versioning: objects.Enabled})
	f.put("k", "a")
	u, err := f.BeginUpload(objects.Upload{Key: "k"})
	f.must(err)
	f.part(u, 1, "part")
	before, records := f.Used(), f.blobs.recorded()
	f.blobs.fails.Store(true)

	d, done := f.draft("new")
	_, put := f.Put("k", d, objects.Conditions{})
	_, replaced := f.PutPart("k", u.ID, objects.Part{Number: 1, Body: d.Body})
	done()
	_, removed := f.Delete("k", f.versionID("0"), objects.Conditions{}, objects.BypassNothing)
	_, marked := f.Delete("k", "", objects.Conditions{}, objects.BypassNothing)
	_, retagged := f.Retag("k", "", tags{"x": "y"})
	_, created := f.BeginUpload(objects.Upload{Key: "k"})
	_, completed := f.CompleteUpload("k", u.ID, objects.Completion{Parts: []objects.CompletedPart{{Number: 1, ETag: etag("part").String()}}})
	for name, err := range map[string]error{
		"Put": put, "PutPart": replaced, "Delete": removed, "a marker": marked, "Retag": retagged,
		"BeginUpload": created, "CompleteUpload": completed, "AbortUpload": f.AbortUpload("k", u.ID),
		"SetVersioning": f.SetVersioning(objects.Suspended), "SetTags": f.SetTags(tags{"x": "y"}),
		"DeleteBucket": f.store.DeleteBucket("b", true), "CreateBucket": f.store.CreateBucket("c", objects.Config{}),
	} {
		if !errors.Is(err, errRejected) {
			t.Errorf("%s = %v, want the blob store's error", name, err)
		}
	}

	want := objects.Config{Versioning: objects.Enabled}
	if diff := cmp.Diff([]any{want, []string{"a"}, []tags{nil}}, []any{f.Config(), f.shown(), f.tagsOf()}); diff != "" {
		t.Errorf("something has changed (-want +got):\n%s", diff)
	}
	if f.Used() != before || f.blobs.recorded() != records {
		t.Errorf("used are %+v in %d records, want %+v in %d", f.Used(), f.blobs.recorded(), before, records)
	}
	if references, blobs := f.blobs.held(); references != 2 || blobs != 2 {
		t.Errorf("there are %d references to %d blobs, want 2", references, blobs)
	}
	f.blobs.fails.Store(false)
	f.must(f.store.DeleteBucket("b", true))
	f.checkGone()
}
