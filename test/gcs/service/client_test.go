package service_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func write(t *testing.T, o *storage.ObjectHandle, content []byte, change ...func(*storage.Writer)) {
	t.Helper()
	w := o.NewWriter(t.Context())
	for _, f := range change {
		f(w)
	}
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatalf("write %s: %v", o.ObjectName(), err)
	}
}

func read(t *testing.T, o *storage.ObjectHandle) []byte {
	t.Helper()
	r, err := o.NewReader(t.Context())
	if err != nil {
		t.Fatalf("read %s: %v", o.ObjectName(), err)
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %s: %v", o.ObjectName(), err)
	}
	return content
}

// wantStatus checks that an error of Google's client is of a status.
func wantStatus(t *testing.T, what string, err error, want int) {
	t.Helper()
	failed, ok := errors.AsType[*googleapi.Error](err)
	if errors.Is(err, storage.ErrObjectNotExist) || errors.Is(err, storage.ErrBucketNotExist) {
		failed, ok = &googleapi.Error{Code: http.StatusNotFound}, true
	}
	if !ok || failed.Code != want {
		t.Errorf("%s: %v, want status %d", what, err, want)
	}
}

// odd are names that libraries like to make others of.
var odd = []string{
	"a", "a/b", "a//b", "/lead", "trail/", "..x", "../up", "a/../b", "sp ace", "per%cent", "per%2Fcent", "plus+", "q?u#e", "ümlaut",
	"o/acl", "x.metadata",
}

func TestOddNames(t *testing.T) {
	f := serve(t)
	b := f.client(t, f.account(t, all("photos"))).Bucket("photos")
	for _, name := range odd {
		write(t, b.Object(name), []byte(name))
	}
	for _, name := range odd {
		if got := read(t, b.Object(name)); string(got) != name {
			t.Errorf("object %q holds %q", name, got)
		}
		attrs, err := b.Object(name).Attrs(t.Context())
		if err != nil || attrs.Name != name || attrs.Bucket != "photos" {
			t.Errorf("Attrs(%q) = %+v, %v", name, attrs, err)
		}
	}
	if got := list(t, b, nil); len(got) != len(odd) {
		t.Errorf("the list has %q, want %q", got, odd)
	}
	for _, name := range odd {
		if err := b.Object(name).Delete(t.Context()); err != nil {
			t.Errorf("Delete(%q): %v", name, err)
		}
	}
	if got := list(t, b, nil); len(got) != 0 {
		t.Errorf("the list has %q after everything has been deleted", got)
	}
}

func list(t *testing.T, b *storage.BucketHandle, query *storage.Query) []string {
	t.Helper()
	var names []string
	for objects := b.Objects(t.Context(), query); ; {
		next, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return names
		}
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		names = append(names, next.Prefix+next.Name)
	}
}

func TestList(t *testing.T) {
	f := serve(t)
	b := f.client(t, f.account(t, all("photos"))).Bucket("photos")
	for _, name := range []string{"a/1", "a/2", "b", "c/1", "d"} {
		write(t, b.Object(name), nil)
	}
	for _, tc := range []struct {
		name  string
		query *storage.Query
		want  []string
	}{
		{"All", nil, []string{"a/1", "a/2", "b", "c/1", "d"}},
		{"Prefix", &storage.Query{Prefix: "a/"}, []string{"a/1", "a/2"}},
		{"Delimiter", &storage.Query{Delimiter: "/"}, []string{"b", "d", "a/", "c/"}},
		{"Offsets", &storage.Query{StartOffset: "a/2", EndOffset: "d"}, []string{"a/2", "b", "c/1"}},
	} {
		if diff := cmp.Diff(tc.want, list(t, b, tc.query)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", tc.name, diff)
		}
		var paged []string
		pager := iterator.NewPager(b.Objects(t.Context(), tc.query), 2, "")
		for token := "-"; token != ""; {
			var page []*storage.ObjectAttrs
			var err error
			if token, err = pager.NextPage(&page); err != nil {
				t.Fatal(err)
			}
			for _, next := range page {
				paged = append(paged, next.Prefix+next.Name)
			}
		}
		sorted := cmpopts.SortSlices(strings.Compare) // each page has its objects before its prefixes
		if diff := cmp.Diff(tc.want, paged, sorted); diff != "" {
			t.Errorf("%s in pages of 2: -want, +got:\n%s", tc.name, diff)
		}
	}
}

func TestResumableUpload(t *testing.T) {
	f := serve(t)
	b := f.client(t, f.account(t, all("photos"))).Bucket("photos")
	content := make([]byte, 20<<20+13)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	for name, size := range map[string]int{"Default": 16 << 20, "Small": 1 << 20, "OneRequest": 0, "Exact": len(content)} {
		write(t, b.Object(name), content, func(w *storage.Writer) { w.ChunkSize = size })
		if got := read(t, b.Object(name)); !bytes.Equal(got, content) {
			t.Errorf("%s: the object is another one than that which was uploaded", name)
		}
	}
	write(t, b.Object("empty"), nil)
	if got := read(t, b.Object("empty")); len(got) != 0 {
		t.Errorf("the empty object has %d bytes", len(got))
	}
}

func TestMetadata(t *testing.T) {
	f := serve(t)
	o := f.client(t, f.account(t, all("photos"))).Bucket("photos").Object("x")
	write(t, o, []byte("12345"), func(w *storage.Writer) {
		w.ContentType, w.CacheControl, w.Metadata = "text/x", "no-store", map[string]string{"a": "1", "b": "2"}
	})
	before, err := o.Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change := storage.ObjectAttrsToUpdate{ContentLanguage: "de", CacheControl: "", Metadata: map[string]string{"c": "3"}}
	after, err := o.Update(t.Context(), change)
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		Type, Cache, Language string
		Metadata              map[string]string
		Generation            int64
	}
	of := func(a *storage.ObjectAttrs) view {
		return view{a.ContentType, a.CacheControl, a.ContentLanguage, a.Metadata, a.Generation}
	}
	if diff := cmp.Diff(view{"text/x", "no-store", "", map[string]string{"a": "1", "b": "2"}, before.Generation}, of(before)); diff != "" {
		t.Errorf("as uploaded: -want, +got:\n%s", diff)
	}
	want := view{"text/x", "", "de", map[string]string{"a": "1", "b": "2", "c": "3"}, before.Generation}
	if diff := cmp.Diff(want, of(after)); diff != "" {
		t.Errorf("as changed: -want, +got:\n%s", diff)
	}
	if got := read(t, o); string(got) != "12345" {
		t.Errorf("the content has become %q", got)
	}
}

func TestCopyAndCompose(t *testing.T) {
	f := serve(t)
	f.bucket(t, "archive")
	c := f.client(t, f.account(t, all("photos"), all("archive")))
	one, two := c.Bucket("photos").Object("one"), c.Bucket("archive").Object("dir/two")
	write(t, one, []byte("first"), func(w *storage.Writer) { w.ContentType, w.Metadata = "text/x", map[string]string{"a": "1"} })
	attrs, err := two.CopierFrom(one).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if attrs.Bucket != "archive" || attrs.Name != "dir/two" || attrs.ContentType != "text/x" || attrs.Metadata["a"] != "1" {
		t.Errorf("the copy is %+v", attrs)
	}
	if got := read(t, two); string(got) != "first" {
		t.Errorf("the copy holds %q", got)
	}
	write(t, c.Bucket("photos").Object("two"), []byte("second"))
	whole := c.Bucket("photos").Object("whole")
	if _, err := whole.ComposerFrom(one, c.Bucket("photos").Object("two")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := read(t, whole); string(got) != "firstsecond" {
		t.Errorf("the composition holds %q", got)
	}
	_, err = whole.ComposerFrom(c.Bucket("photos").Object("none")).Run(t.Context())
	wantStatus(t, "compose nothing", err, http.StatusNotFound)
	_, err = two.CopierFrom(c.Bucket("photos").Object("none")).Run(t.Context())
	wantStatus(t, "copy nothing", err, http.StatusNotFound)
}

func TestConditions(t *testing.T) {
	f := serve(t)
	o := f.client(t, f.account(t, all("photos"))).Bucket("photos").Object("x")
	missing := o.If(storage.Conditions{DoesNotExist: true})
	write(t, missing, []byte("first"))
	attrs, err := o.Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same := o.If(storage.Conditions{GenerationMatch: attrs.Generation})
	other := o.If(storage.Conditions{GenerationMatch: attrs.Generation + 1})
	for name, w := range map[string]*storage.Writer{"NewOnly": missing.NewWriter(t.Context()), "Other": other.NewWriter(t.Context())} {
		_, err := w.Write([]byte("no"))
		wantStatus(t, name, errors.Join(err, w.Close()), http.StatusPreconditionFailed)
	}
	_, err = other.Update(t.Context(), storage.ObjectAttrsToUpdate{ContentType: "text/x"})
	wantStatus(t, "Update", err, http.StatusPreconditionFailed)
	wantStatus(t, "Delete", other.Delete(t.Context()), http.StatusPreconditionFailed)
	_, err = other.CopierFrom(o).Run(t.Context())
	wantStatus(t, "Copy", err, http.StatusPreconditionFailed)
	if got := read(t, same); string(got) != "first" {
		t.Errorf("the object holds %q", got)
	}
	_, err = other.NewReader(t.Context())
	wantStatus(t, "Read", err, http.StatusPreconditionFailed)
	if err := same.Delete(t.Context()); err != nil {
		t.Error(err)
	}
	_, err = o.Attrs(t.Context())
	wantStatus(t, "Gone", err, http.StatusNotFound)
}

func TestRanges(t *testing.T) {
	f := serve(t)
	o := f.client(t, f.account(t, all("photos"))).Bucket("photos").Object("x")
	write(t, o, []byte("0123456789"))
	for _, tc := range []struct {
		offset, length int64
		want           string
	}{{2, 3, "234"}, {7, -1, "789"}, {-2, -1, "89"}, {0, 0, ""}} {
		r, err := o.NewRangeReader(t.Context(), tc.offset, tc.length)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != tc.want {
			t.Errorf("NewRangeReader(%d, %d) reads %q, %v; want %q", tc.offset, tc.length, got, err, tc.want)
		}
		_ = r.Close()
	}
	_, err := o.NewRangeReader(t.Context(), 11, -1)
	wantStatus(t, "behind the end", err, http.StatusRequestedRangeNotSatisfiable)
}

// TestVersions uses a bucket whose class asks for versions.
func TestVersions(t *testing.T) {
	f := serve(t)
	spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.backend.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	b := f.client(t, f.account(t, all("kept"))).Bucket("kept")
	o := b.Object("x")
	write(t, o, []byte("first"))
	first, err := o.Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, o, []byte("second"))
	if err := o.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = o.NewReader(t.Context())
	wantStatus(t, "read a deleted object", err, http.StatusNotFound)
	if got := read(t, o.Generation(first.Generation)); string(got) != "first" {
		t.Errorf("the first version holds %q", got)
	}
	if diff := cmp.Diff([]string{"x", "x"}, list(t, b, &storage.Query{Versions: true})); diff != "" {
		t.Errorf("versions: -want, +got:\n%s", diff)
	}
	if _, err := o.CopierFrom(o.Generation(first.Generation)).Run(t.Context()); err != nil {
		t.Errorf("restore the first version: %v", err)
	}
	if got := read(t, o); string(got) != "first" {
		t.Errorf("the restored object holds %q", got)
	}
	if err := o.Generation(first.Generation).Delete(t.Context()); err != nil {
		t.Error(err)
	}
	noncurrent, err := o.Generation(first.Generation).Attrs(t.Context())
	wantStatus(t, "describe a deleted version", err, http.StatusNotFound)
	if noncurrent != nil {
		t.Errorf("the deleted version is %+v", noncurrent)
	}
}
