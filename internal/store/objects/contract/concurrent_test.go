package contract_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// worker uses a few keys like a client.
type worker struct {
	*fixture
	*rand.Rand

	uploads []objects.Upload
}

// TestConcurrent runs several workers at once, and then checks the bucket's consistency. The race
// detector finds the rest.
func TestConcurrent(t *testing.T) {
	const workers, operations = 8, 400
	f := newFixture(t, objects.Config{Quota: objects.Quota{Bytes: 1000, Objects: 60}})
	var group sync.WaitGroup
	for n := range uint64(workers) {
		w := &worker{fixture: f, Rand: randomly(n)}
		group.Go(func() {
			for range operations {
				if err := w.step(); !isExpected(err) {
					t.Error(err)
				}
				w.checkQuota()
			}
		})
	}
	group.Wait()
	f.checkInvariants()
	f.must(f.store.DeleteBucket("b", true))
	f.checkGone()
}

// isExpected reports whether another worker can cause an error.
func isExpected(err error) bool {
	return err == nil || slices.ContainsFunc([]error{
		s3error.ErrNoSuchKey, s3error.ErrNoSuchVersion, s3error.ErrMethodNotAllowed, s3error.ErrNoSuchUpload, s3error.ErrQuotaExceeded,
		s3error.ErrPreconditionFailed, s3error.ErrInvalidPart, errRejected,
	}, func(expected error) bool { return errors.Is(err, expected) })
}

func (w *worker) step() error {
	key := fmt.Sprint("k", w.IntN(4))
	steps := []func(string) error{
		w.put, w.put, w.read, w.read, w.removeNewest, w.removeVersion, w.retag, w.list, w.beginUpload, w.putPart, w.completeUpload, w.configure,
	}
	return steps[w.IntN(len(steps))](key)
}

func (w *worker) put(key string) error {
	d, done := w.draft(fmt.Sprint(w.Uint32()))
	defer done()
	c := objects.Conditions{}
	if w.IntN(3) == 0 {
		c.IfNoneMatch = "*"
	}
	_, err := w.Put(key, d, c)
	return err
}

// read checks that a version has the content of its ETag, whatever happens to the object meanwhile.
func (w *worker) read(key string) error {
	v, err := w.Get(key, "")
	defer v.Release()
	if err != nil {
		return err
	}
	content := w.fixture.read(v.Body)
	if v.ETag.Parts == 0 && etag(content) != v.ETag {
		return fmt.Errorf("the content of %s is not its ETag's", key)
	}
	return nil
}

func (w *worker) removeNewest(key string) error {
	_, err := w.Delete(key, "", objects.Conditions{}, objects.BypassNothing)
	return err
}

func (w *worker) version(key string) string {
	versions := w.ListVersions(objects.Query{Prefix: key, Max: 10}).Versions
	if len(versions) == 0 {
		return ""
	}
	return versions[w.IntN(len(versions))].ID
}

func (w *worker) removeVersion(key string) error {
	_, err := w.Delete(key, w.version(key), objects.Conditions{}, objects.BypassNothing)
	return err
}

func (w *worker) retag(key string) error {
	_, err := w.Retag(key, w.version(key), tags{"a": "b"})
	return err
}

func (w *worker) list(string) error {
	for _, l := range lists {
		l.page(w.fixture, objects.Query{Max: 5, Delimiter: "k"})
		l.page(w.fixture, objects.Query{Max: 5, After: "k1"})
	}
	return nil
}

func (w *worker) configure(string) error {
	return w.SetVersioning([]objects.Versioning{objects.Enabled, objects.Suspended}[w.IntN(2)])
}

func (w *worker) beginUpload(key string) error {
	u, err := w.BeginUpload(objects.Upload{Key: key})
	w.uploads = append(w.uploads, u)
	return err
}

func (w *worker) putPart(string) error {
	if len(w.uploads) == 0 {
		return nil
	}
	u := w.uploads[len(w.uploads)-1]
	body := w.body("part")
	defer body.Release()
	_, err := w.PutPart(u.Key, u.ID, objects.Part{Number: 1 + w.IntN(2), ETag: etag("part"), Body: body})
	return err
}

func (w *worker) completeUpload(string) error {
	if len(w.uploads) == 0 {
		return nil
	}
	u := w.uploads[0]
	w.uploads = w.uploads[1:]
	if w.IntN(3) == 0 {
		return w.AbortUpload(u.Key, u.ID)
	}
	_, err := w.CompleteUpload(u.Key, u.ID, objects.Completion{Parts: []objects.CompletedPart{named(1, "part")}})
	return err
}

func (f *fixture) checkQuota() {
	f.Helper()
	used, limit := f.Used(), f.Config().Quota
	if used.Bytes < 0 || used.Objects < 0 || used.Bytes > limit.Bytes || used.Objects > limit.Objects {
		f.Errorf("used are %+v of %+v", used, limit)
	}
}

// checkInvariants compares the contents with the counts.
func (f *fixture) checkInvariants() {
	f.Helper()
	var there objects.Quota
	references := int64(0)
	nulls := map[string]int{}
	for _, v := range f.ListVersions(objects.Query{Max: 10000}).Versions {
		if v.ID == objects.NullVersion {
			nulls[v.Key]++
		}
		if !v.IsDeleteMarker {
			there.Objects++
			there.Bytes += v.Size()
			references += int64(len(v.Body.Blobs()))
		}
	}
	for _, u := range f.ListUploads(objects.Query{Max: 10000}).Uploads {
		parts, _, err := f.Parts(u.Key, u.ID, 0, 100)
		f.must(err)
		for _, p := range parts {
			there.Bytes += p.Body.Size()
			references++
		}
	}
	if f.Used() != there {
		f.Errorf("used are %+v, and there is %+v", f.Used(), there)
	}
	if held, _ := f.blobs.held(); held != references {
		f.Errorf("there are %d references, want %d", held, references)
	}
	for key, n := range nulls {
		if n > 1 {
			f.Errorf("%s has %d null versions", key, n)
		}
	}
}
