package contract_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// lists are the listings of a bucket, with their views of a model of it.
var lists = map[string]struct {
	page func(*fixture, objects.Query) (shown []entry, next objects.Query, more bool)
	want func(*model, objects.Query) []entry
}{
	"List": {want: (*model).list, page: func(f *fixture, q objects.Query) ([]entry, objects.Query, bool) {
		return turn(f.List(q), q)
	}},
	"ListVersions": {want: (*model).listVersions, page: func(f *fixture, q objects.Query) ([]entry, objects.Query, bool) {
		return turn(f.ListVersions(q), q)
	}},
	"ListUploads": {want: (*model).listUploads, page: func(f *fixture, q objects.Query) ([]entry, objects.Query, bool) {
		page := f.ListUploads(q)
		var shown []entry
		for _, u := range page.Uploads {
			shown = append(shown, entry{key: u.Key, id: u.ID})
		}
		q.After, q.AfterVersion = page.Next, page.NextID
		return merge(shown, page.Prefixes), q, page.IsTruncated
	}},
}

// turn returns the entries of a page, and the query for the next.
func turn(page objects.Page, q objects.Query) ([]entry, objects.Query, bool) {
	var shown []entry
	for _, v := range page.Versions {
		shown = append(shown, entry{key: v.Key, id: v.ID})
	}
	q.After, q.AfterVersion = page.Next, page.NextVersion
	return merge(shown, page.Prefixes), q, page.IsTruncated
}

func merge(shown []entry, prefixes []string) []entry {
	var all []entry
	for _, prefix := range prefixes {
		for len(shown) > 0 && shown[0].key < prefix {
			all, shown = append(all, shown[0]), shown[1:]
		}
		all = append(all, entry{key: prefix, isPrefix: true})
	}
	return append(all, shown...)
}

// randomKey has few characters, so that keys have prefixes in common, and some of several bytes.
func randomKey(random *rand.Rand) string {
	alphabet := []string{"a", "b", "/", "//", "ab", "ü", "\x01", "\U0010ffff", "."}
	var key strings.Builder
	for range 1 + random.IntN(6) {
		key.WriteString(alphabet[random.IntN(len(alphabet))])
	}
	return key.String()
}

// fill puts random versions, delete markers and uploads into a bucket.
func (w *walker) fill(operations int) {
	w.must(w.SetVersioning(objects.Enabled))
	w.model.versioning = objects.Enabled
	for range operations {
		key := randomKey(w.Rand)
		switch w.IntN(5) {
		case 0:
			w.model.mark(key, w.remove(key, "").VersionID)
		case 1:
			u := w.fixture.begin(key)
			w.model.uploads[u.ID] = &modelUpload{Upload: u}
		default:
			w.model.put(key, w.fixture.put(key, ""), "", 0)
		}
	}
}

// TestPages compares listings in pages of all sizes with the model's: no entry is repeated or lost
// between pages.
func TestPages(t *testing.T) {
	for seed := range uint64(10) {
		w := &walker{fixture: newFixture(t, objects.Config{}), Rand: randomly(seed), model: newModel(objects.Config{})}
		w.fill(5 + w.IntN(120))
		prefixes := []string{"", "", "a", "ab", "/", "b/", "zz", "\U0010ffff"}
		delimiters := []string{"", "/", "//", "a", "ab", "ü", ".a", "none"}
		for range 60 {
			q := objects.Query{Prefix: prefixes[w.IntN(len(prefixes))], Delimiter: delimiters[w.IntN(len(delimiters))], Max: 1 + w.IntN(12)}
			for name, l := range lists {
				got, pages := w.readAll(q, l.page)
				if diff := cmp.Diff(l.want(w.model, q), got, cmp.AllowUnexported(entry{})); diff != "" {
					t.Fatalf("seed %d: %s(%+v) in %d pages (-want +got):\n%s", seed, name, q, pages, diff)
				}
				if want := max(1, (len(got)+q.Max-1)/q.Max); pages != want {
					t.Errorf("seed %d: %s(%+v) has %d pages for %d entries, want %d", seed, name, q, pages, len(got), want)
				}
			}
		}
	}
}

// readAll reads all pages.
func (f *fixture) readAll(q objects.Query, read func(*fixture, objects.Query) ([]entry, objects.Query, bool)) (all []entry, pages int) {
	f.Helper()
	for more := true; more; pages++ {
		var shown []entry
		shown, q, more = read(f, q)
		if len(shown) > q.Max || (more && len(shown) < q.Max) {
			f.Fatalf("page %d of %+v has %d entries, and more = %v", pages, q, len(shown), more)
		}
		all = append(all, shown...)
	}
	return all, pages
}

// TestMarkers begins listings after markers that no listing has returned.
func TestMarkers(t *testing.T) {
	f := newFixture(t, objects.Config{})
	for _, key := range []string{"a", "a/", "a/b", "a/c/d", "b", "c//d", "e"} {
		f.put(key, "")
	}
	tests := map[string]struct {
		reason string
		q      objects.Query
		want   []string
	}{
		"Between":     {"the marker needs not be there", objects.Query{After: "a/bb"}, []string{"a/c/d", "b", "c//d", "e"}},
		"Before":      {"nor be under the prefix", objects.Query{Prefix: "b", After: "a"}, []string{"b"}},
		"Behind":      {"nothing under the prefix follows", objects.Query{Prefix: "a", After: "b"}, nil},
		"Last":        {"nothing follows", objects.Query{After: "e"}, nil},
		"Prefix":      {"it is the prefix, which is a key", objects.Query{Prefix: "a/", After: "a/"}, []string{"a/b", "a/c/d"}},
		"Group":       {"what is under it has been listed", objects.Query{Delimiter: "/", After: "a/"}, []string{"b", "c/", "e"}},
		"InGroup":     {"what follows in the group makes one", objects.Query{Delimiter: "/", After: "a/b"}, []string{"a/", "b", "c/", "e"}},
		"EndOfGroup":  {"nothing follows in it", objects.Query{Delimiter: "/", After: "a/c/d"}, []string{"b", "c/", "e"}},
		"LongGroup":   {"a delimiter of two characters", objects.Query{Delimiter: "//", After: "c//"}, []string{"e"}},
		"NoUTF8":      {"what no key can begin with is behind them", objects.Query{Delimiter: "\xff", After: "\xff"}, nil},
		"NoUTF8Group": {"also after others", objects.Query{Delimiter: "\xff", After: "b\xff"}, []string{"c//d", "e"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.q.Max = 100
			shown, _, _ := turn(f.List(tc.q), tc.q)
			var got []string
			for _, e := range shown {
				got = append(got, e.key)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: List(%+v) (-want +got):\n%s", tc.reason, tc.q, diff)
			}
		})
	}
}

// A page of size zero is empty and has no successor.
func TestEmptyPages(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "")
	f.begin("k")
	for name, l := range lists {
		if shown, _, more := l.page(f, objects.Query{Max: 0}); len(shown) != 0 || more {
			t.Errorf("%s with Max 0 shows %v, and more = %v", name, shown, more)
		}
	}
}

// A missing marker does not hide other versions of its key.
func TestVanishedMarker(t *testing.T) {
	f := newFixture(t, objects.Config{Versioning: objects.Enabled})
	for range 3 {
		f.put("k", "")
		f.begin("k")
	}
	versions := f.ListVersions(objects.Query{Max: 1})
	f.remove("k", versions.NextVersion)
	rest := f.ListVersions(objects.Query{Max: 10, After: versions.Next, AfterVersion: versions.NextVersion})
	if len(rest.Versions) != 2 {
		t.Errorf("%d versions follow one that has been deleted, want 2", len(rest.Versions))
	}
	uploads := f.ListUploads(objects.Query{Max: 1})
	f.must(f.AbortUpload("k", uploads.NextID))
	others := f.ListUploads(objects.Query{Max: 10, After: uploads.Next, AfterVersion: uploads.NextID})
	if len(others.Uploads) != 2 {
		t.Errorf("%d uploads follow one that has been aborted, want 2", len(others.Uploads))
	}
}

// TestManyDeleted lists the rest of very many deleted keys: the walk must not restart for each.
func TestManyDeleted(t *testing.T) {
	const keys = 100_000
	f := newFixture(t, objects.Config{Versioning: objects.Enabled})
	f.blobs.forgets.Store(true)
	for n := range keys {
		f.remove(fmt.Sprintf("a/%06d", n), "")
	}
	f.put("a/z", "")
	f.put("b", "")
	for name, q := range map[string]objects.Query{
		"Group": {Delimiter: "/"}, "Flat": {}, "OnePage": {Delimiter: "/", Max: 1}, "LongGroup": {Prefix: "a/", Delimiter: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			q.Max = max(q.Max, 2)
			got, _ := f.readAll(q, lists["List"].page)
			want := 2
			if q.Prefix != "" {
				want = 1
			}
			if len(got) != want {
				t.Errorf("List(%+v) shows %v, want %d entries", q, got, want)
			}
			walked := testing.AllocsPerRun(1, func() { f.List(q) })
			if walked > 100 {
				t.Errorf("List(%+v) allocates %.0f times: it starts again for every deleted key", q, walked)
			}
		})
	}
}
