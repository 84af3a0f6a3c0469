package contract_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// appended begins an upload with one piece of content, and returns its ID.
func (f *fixture) appended(key, content string) string {
	f.Helper()
	u, err := f.BeginUpload(objects.Upload{Key: key, Appended: true, Attributes: objects.Attributes{Extra: "session of " + key}})
	f.must(err)
	body := f.body(content)
	defer body.Release()
	_, err = f.Append(key, u.ID, 0, 1<<20, body)
	f.must(err)
	return u.ID
}

// complete ends an upload of x with an object whose outcome is its generation.
func (f *fixture) complete(id string, c objects.Conditions) (*objects.Version, error) {
	return f.CompleteAppended("x", id, c, func(b objects.Body) (objects.Draft, error) {
		return objects.Draft{Body: b, ETag: etag(f.read(b))}, nil
	}, func(v *objects.Version) (string, error) { return fmt.Sprint(v.Generation()), nil })
}

// TestEndings ends uploads with and without an object. The bucket remembers the outcome, but no
// content.
func TestEndings(t *testing.T) {
	f := newFixture(t, objects.Config{Generations: true})
	id := f.appended("x", "content")
	if _, known := f.Ended(id); known {
		t.Error("an unfinished upload has ended")
	}
	v, err := f.complete(id, objects.Conditions{})
	f.must(err)
	e, known := f.Ended(id)
	if want := fmt.Sprint(v.Generation()); !known || e.Outcome != want || e.Key != "x" ||
		e.Attributes.Extra != "session of x" || e.At.IsZero() {
		t.Errorf("Ended() = %+v, %v; want the outcome %s", e, known, want)
	}
	cancelled := f.appended("y", "more")
	f.must(f.EndAppended("y", cancelled, "cancelled"))
	if e, known := f.Ended(cancelled); !known || e.Outcome != "cancelled" {
		t.Errorf("Ended() = %+v, %v; want cancelled", e, known)
	}
	if err := f.EndAppended("y", cancelled, "again"); !errors.Is(err, s3error.ErrNoSuchUpload) {
		t.Errorf("EndAppended() of an ended upload: %v", err)
	}
	if diff := cmp.Diff(objects.Quota{Bytes: 7, Objects: 1}, f.Used()); diff != "" {
		t.Errorf("used: -want, +got:\n%s", diff)
	}
	if page := f.ListUploads(objects.Query{Max: 10, Appended: true}); len(page.Uploads) != 0 {
		t.Errorf("ListUploads() = %+v", page)
	}
}

// TestEndingFails rejects the object of an upload, which continues.
func TestEndingFails(t *testing.T) {
	f := newFixture(t, objects.Config{Generations: true})
	id, one := f.appended("x", "content"), int64(1)
	_, err := f.complete(id, objects.Conditions{Generation: objects.NumberCondition{Match: &one}})
	if !errors.Is(err, s3error.ErrPreconditionFailed) {
		t.Errorf("CompleteAppended() = %v, want a failed precondition", err)
	}
	if _, known := f.Ended(id); known {
		t.Error("the upload has ended")
	}
	_, err = f.complete(id, objects.Conditions{})
	f.must(err)
}

// TestEndingsLimit ends more uploads than a bucket remembers: it forgets the oldest.
func TestEndingsLimit(t *testing.T) {
	f := newFixture(t, objects.Config{Generations: true})
	const limit = 256
	ids := make([]string, limit+2)
	for i := range ids {
		ids[i] = f.appended("x", "content")
		_, err := f.complete(ids[i], objects.Conditions{})
		f.must(err)
	}
	for i, id := range ids {
		if _, known := f.Ended(id); known != (i >= 2) {
			t.Errorf("the ending of upload %d of %d is known: %v", i+1, len(ids), known)
		}
	}
	f.must(f.store.DeleteBucket("b", true))
	if _, known := f.Ended(ids[limit]); known {
		t.Error("a deleted bucket has endings")
	}
}

// TestMoves moves the latest version of a key in buckets with and without versioning.
func TestMoves(t *testing.T) {
	for name, versioning := range map[string]objects.Versioning{"Unversioned": objects.Unversioned, "Versioned": objects.Enabled} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{Generations: true, Versioning: versioning})
			old := f.put("x", "content")
			f.put("y", "replaced")
			move := func(from, to string) error {
				_, err := f.Move(from, to, objects.Conditions{}, objects.Conditions{}, func(v *objects.Version) (objects.Draft, error) {
					return v.Draft(), nil
				})
				return err
			}
			f.must(move("x", "y"))
			if err := move("x", "y"); !errors.Is(err, s3error.ErrNoSuchKey) {
				t.Errorf("Move() of a moved object: %v", err)
			}
			if text, err := f.text("y", ""); text != "content" || err != nil {
				t.Errorf("the moved object is %q, %v", text, err)
			}
			want := objects.Quota{Bytes: 7, Objects: 1}
			if versioning == objects.Enabled {
				want = objects.Quota{Bytes: 22, Objects: 3}
				if text, err := f.text("x", old); text != "content" || err != nil {
					t.Errorf("the noncurrent version is %q, %v", text, err)
				}
			}
			if diff := cmp.Diff(want, f.Used()); diff != "" {
				t.Errorf("used: -want, +got:\n%s", diff)
			}
			f.must(move("y", "x"))
			if text, err := f.text("x", ""); text != "content" || err != nil {
				t.Errorf("moved back, the object is %q, %v", text, err)
			}
		})
	}
}

// TestHeld rejects the deletion and the replacement of objects with a hold, in a bucket with
// generations only.
func TestHeld(t *testing.T) {
	for name, lock := range map[string]objects.Lock{"Temporary": {LegalHold: objects.HoldOn}, "EventBased": {EventHold: true}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{Generations: true})
			d, done := f.draft("content")
			defer done()
			d.Attributes.Lock = &lock
			v, err := f.Put("x", d, objects.Conditions{})
			f.must(err)
			other, done := f.draft("other")
			defer done()
			_, replaced := f.Put("x", other, objects.Conditions{})
			_, deleted := f.Delete("x", "", objects.Conditions{}, objects.BypassNothing)
			_, deletedByID := f.Delete("x", v.ID, objects.Conditions{}, objects.BypassNothing)
			for operation, err := range map[string]error{"Put": replaced, "Delete": deleted, "Delete by ID": deletedByID} {
				if s3error.From(err).Code != s3error.ErrObjectUnderActiveHold.Code {
					t.Errorf("%s() = %v, want ObjectUnderActiveHold", operation, err)
				}
			}
			if _, err := f.Delete("x", "", objects.Conditions{}, objects.BypassAll); err != nil {
				t.Errorf("Delete() by the owner of the storage: %v", err)
			}
		})
	}
}

// TestMatch lists the versions that functions select, in pages of every size.
func TestMatch(t *testing.T) {
	f := newFixture(t, objects.Config{Generations: true})
	for _, key := range []string{"a/1", "a/2", "b", "c/1", "d", "e"} {
		f.put(key, key)
	}
	notB := func(key string) bool { return key != "b" && key != "c/" }
	notD := func(v *objects.Version) bool { return v.Key != "d" }
	for size := 1; size < 8; size++ {
		var got []string
		query := objects.Query{Delimiter: "/", MatchKey: notB, MatchVersion: notD, Max: size}
		for more := true; more; {
			page := f.List(query)
			for _, v := range page.Versions {
				got = append(got, v.Key)
			}
			got = append(got, page.Prefixes...)
			query.After, more = page.Next, page.IsTruncated
		}
		if diff := cmp.Diff([]string{"a/", "e"}, got, cmp.Transformer("set", setOf)); diff != "" {
			t.Errorf("pages of %d: -want, +got:\n%s", size, diff)
		}
	}
}

func setOf(all []string) map[string]int {
	set := map[string]int{}
	for _, one := range all {
		set[one]++
	}
	return set
}
