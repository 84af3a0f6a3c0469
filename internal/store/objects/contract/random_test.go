package contract_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// walker applies the same random operations to a bucket and to a model of it.
type walker struct {
	*fixture
	*rand.Rand

	model *model
}

// TestRandomOperations compares a bucket with its model after every operation, of which the quota
// or the blob store reject some.
func TestRandomOperations(t *testing.T) {
	const operations = 300
	for seed := range uint64(15) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := randomly(seed)
			config := objects.Config{Quota: objects.Quota{Bytes: random.Int64N(200), Objects: random.Int64N(30)}}
			if seed%3 == 0 {
				config.Quota = objects.Quota{}
			}
			w := &walker{fixture: newFixture(t, config), Rand: random, model: newModel(config)}
			for n := range operations {
				w.step()
				w.compare()
				if t.Failed() {
					t.Fatalf("seed %d, operation %d", seed, n)
				}
			}
			w.must(w.store.DeleteBucket("b", true))
			w.checkGone()
		})
	}
}

func (w *walker) step() {
	w.blobs.fails.Store(w.IntN(10) == 0)
	defer w.blobs.fails.Store(false)
	steps := []func(){
		w.put, w.put, w.put, w.removeNewest, w.removeVersion, w.retag, w.begin, w.putPart, w.putPart, w.complete, w.abort, w.configure,
	}
	steps[w.IntN(len(steps))]()
}

func (w *walker) key() string { return string("abc"[w.IntN(3)]) }

func (w *walker) content() string { return strings.Repeat("x", w.IntN(12)) }

// rejected reports whether an operation has failed for a good reason.
func (w *walker) rejected(err error, fits bool) bool {
	w.Helper()
	switch {
	case errors.Is(err, s3error.ErrQuotaExceeded) && fits:
		w.Error("rejected by the quota, though there is room")
	case err == nil && !fits:
		w.Error("there is no room for what was stored")
	case err != nil && !errors.Is(err, s3error.ErrQuotaExceeded) && !errors.Is(err, errRejected):
		w.Error(err)
	}
	return err != nil
}

func (w *walker) put() {
	key, content := w.key(), w.content()
	d, done := w.draft(content)
	defer done()
	v, err := w.Put(key, d, objects.Conditions{})
	before := w.model.versions[key]
	id := ""
	if v != nil {
		id = v.ID
	}
	fits := w.model.put(key, id, content, 0)
	if w.rejected(err, fits) {
		w.model.set(key, before)
	}
}

func (w *walker) removeNewest() {
	key := w.key()
	done, err := w.Delete(key, "", objects.Conditions{}, objects.BypassNothing)
	switch {
	case w.rejected(err, true):
	case done.IsDeleteMarker:
		w.model.mark(key, done.VersionID)
	default:
		w.model.remove(key, "")
	}
}

// version returns the ID of a version of a key, or an unknown one.
func (w *walker) version(key string) string {
	versions := w.model.versions[key]
	if len(versions) == 0 {
		return "none"
	}
	return versions[w.IntN(len(versions))].id
}

func (w *walker) removeVersion() {
	key := w.key()
	id := w.version(key)
	if _, err := w.Delete(key, id, objects.Conditions{}, objects.BypassNothing); !w.rejected(err, true) {
		w.model.remove(key, id)
	}
}

func (w *walker) retag() {
	key := w.key()
	_, err := w.Retag(key, w.version(key), tags{"a": w.content()})
	if errors.Is(err, s3error.ErrNoSuchVersion) || errors.Is(err, s3error.ErrMethodNotAllowed) {
		return
	}
	w.rejected(err, true)
}

func (w *walker) configure() {
	state := []objects.Versioning{objects.Enabled, objects.Suspended}[w.IntN(2)]
	if err := w.SetVersioning(state); !w.rejected(err, true) {
		w.model.versioning = state
	}
}

func (w *walker) compare() {
	w.Helper()
	if got, want := w.Used(), w.model.used(); got != want {
		w.Errorf("used are %+v, and what is there is %+v", got, want)
	}
	if diff := cmp.Diff(w.model.listVersions(objects.Query{}), w.versions(), cmp.AllowUnexported(entry{})); diff != "" {
		w.Errorf("versions (-want +got):\n%s", diff)
	}
	references, records := int64(0), 1
	for key, versions := range w.model.versions {
		for _, v := range versions {
			records++
			got, err := w.text(key, v.id)
			if marker := errors.Is(err, s3error.ErrMethodNotAllowed); marker != v.marker || got != v.content {
				w.Errorf("version %s of %s is %q, %v; want %q", v.id, key, got, err, v.content)
			}
		}
	}
	for _, v := range w.ListVersions(objects.Query{Max: 1000}).Versions {
		references += int64(len(v.Body.Blobs()))
	}
	for _, u := range w.model.uploads {
		records += 1 + len(u.parts)
		for _, content := range u.parts {
			references += int64(min(1, len(content)))
		}
	}
	if held, _ := w.blobs.held(); held != references || w.blobs.recorded() != records {
		w.Errorf("there are %d references and %d records, want %d and %d", held, w.blobs.recorded(), references, records)
	}
}

func (w *walker) versions() []entry {
	var all []entry
	for _, v := range w.ListVersions(objects.Query{Max: 1000}).Versions {
		all = append(all, entry{key: v.Key, id: v.ID})
	}
	return all
}

// upload returns an upload in progress, or nil.
func (w *walker) upload() *modelUpload {
	if len(w.model.uploads) == 0 {
		return nil
	}
	ids := []string{}
	for id := range w.model.uploads {
		ids = append(ids, id)
	}
	slices.Sort(ids) // map order does not depend on the seed
	return w.model.uploads[ids[w.IntN(len(ids))]]
}
