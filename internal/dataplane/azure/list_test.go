package azure_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

type listed struct {
	Blobs []struct {
		Name       string `xml:"Name"`
		Snapshot   string `xml:"Snapshot"`
		Properties struct {
			Length int64  `xml:"Content-Length"`
			Etag   string `xml:"Etag"`
		} `xml:"Properties"`
		Metadata struct {
			Colour string `xml:"colour"`
		} `xml:"Metadata"`
		Tags struct {
			Keys []string `xml:"TagSet>Tag>Key"`
		} `xml:"Tags"`
	} `xml:"Blobs>Blob"`
	Prefixes []string `xml:"Blobs>BlobPrefix>Name"`
	Next     string   `xml:"NextMarker"`
}

func (a access) list(t *testing.T, query string) (page listed) {
	t.Helper()
	got := a.want(t, http.StatusOK, a.do(t, http.MethodGet, "", "restype=container&comp=list&"+query, ""))
	if err := xml.Unmarshal([]byte(got.body), &page); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	return page
}

// names lists all pages: blobs, and prefixes.
func (a access) names(t *testing.T, query string) (all []string) {
	t.Helper()
	for marker, pages := "", 0; ; pages++ {
		page := a.list(t, query+"&marker="+url.QueryEscape(marker))
		for _, b := range page.Blobs {
			all = append(all, b.Name)
		}
		all = append(all, page.Prefixes...)
		if marker = page.Next; marker == "" || pages > 20 {
			return all
		}
	}
}

// TestListing: pages of every size follow each other without gaps.
func TestListing(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	blobs := []string{"a", "a/1", "a/2", "a/b/3", "b/4", "c", "c%20d", "%C3%A4"}
	for _, blob := range blobs {
		a.put(t, blob, blob)
	}
	flat := []string{"a", "a/1", "a/2", "a/b/3", "b/4", "c", "c d", "ä"}
	tests := map[string]struct {
		query string
		want  []string
	}{
		"Flat":      {"", flat},
		"Prefix":    {"prefix=a/", []string{"a/1", "a/2", "a/b/3"}},
		"Hierarchy": {"delimiter=/", []string{"a", "c", "c d", "ä", "a/", "b/"}},
		"Below":     {"delimiter=/&prefix=a/", []string{"a/1", "a/2", "a/b/"}},
		"Nothing":   {"prefix=none", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, a.names(t, tc.query)); diff != "" {
				t.Errorf("one page (-want, +got):\n%s", diff)
			}
			for size := 1; size <= 4; size++ {
				got := a.names(t, fmt.Sprintf("%s&maxresults=%d", tc.query, size))
				if diff := cmp.Diff(slices.Sorted(slices.Values(tc.want)), slices.Sorted(slices.Values(got))); diff != "" {
					t.Errorf("pages of %d (-want, +got):\n%s", size, diff)
				}
			}
		})
	}
}

// TestListingIncludes: include adds metadata, tags, snapshots and blobs that have only blocks.
func TestListingIncludes(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	etag := a.put(t, "a", "one", "x-ms-meta-colour: red", "x-ms-tags: project=cosi").header.Get("Etag")
	snapshot := a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "a", "comp=snapshot", "")).header.Get("X-Ms-Snapshot")
	a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "b", "comp=block&blockid="+blockID("abc"), "block"))
	plain := a.list(t, "")
	if len(plain.Blobs) != 1 || plain.Blobs[0].Metadata.Colour != "" || len(plain.Blobs[0].Tags.Keys) != 0 || plain.Blobs[0].Snapshot != "" {
		t.Errorf("without include: %+v", plain)
	}
	if got := plain.Blobs[0].Properties; got.Length != 3 || got.Etag != strings.Trim(etag, `"`) {
		t.Errorf("the properties are %+v, and the ETag is %s", got, etag)
	}
	full := a.list(t, "include=metadata,tags,snapshots,uncommittedblobs,copy,versions,deleted")
	var got []string
	for _, b := range full.Blobs {
		got = append(got, strings.TrimSpace(b.Name+" "+b.Snapshot))
	}
	if diff := cmp.Diff([]string{"a " + snapshot, "a", "b"}, got); diff != "" {
		t.Errorf("with include (-want, +got):\n%s", diff)
	}
	if first := full.Blobs[0]; first.Metadata.Colour != "red" || !cmp.Equal(first.Tags.Keys, []string{"project"}) {
		t.Errorf("the snapshot is %+v", first)
	}
}

// TestDeletedContainer: a granted container that has been deleted is not found.
func TestDeletedContainer(t *testing.T) {
	f := serve(t, azure.Options{})
	a := f.access(t)
	if err := f.store.DeleteBucket(t.Context(), owner, "photos"); err != nil {
		t.Fatal(err)
	}
	for _, r := range routes() {
		if got := a.try(t, r, a); r.permissions != "" && got.code() != "ContainerNotFound" {
			t.Errorf("%s: %d %s", r, got.status, got.code())
		}
	}
	f.container(t, "photos")
	if got := a.do(t, http.MethodGet, "a", "", ""); got.code() != "AuthorizationFailure" {
		t.Errorf("in another container of the same name: %d %s", got.status, got.code())
	}
}

// TestListQuotes: Azure's client for JavaScript takes numeric character references for parts of the
// name.
func TestListQuotes(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "it's%20%22it%22", "")
	got := a.want(t, http.StatusOK, a.do(t, http.MethodGet, "", "restype=container&comp=list", ""))
	if want := "<Name>it's &quot;it&quot;</Name>"; !strings.Contains(got.body, want) {
		t.Errorf("the list has no %s: %s", want, got.body)
	}
}
