package azure_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

func pageBlob(size string, headers ...string) step {
	return step{method: "PUT", headers: append([]string{pageTyped, "x-ms-blob-content-length: " + size}, headers...), want: "OK"}
}

// pages writes a letter to pages of 512 bytes, from first to last, or clears them without a letter.
func pages(letter string, first, last int, headers ...string) step {
	written := "update"
	if letter == "" {
		written = "clear"
	}
	bounds := "x-ms-range: bytes=" + strconv.Itoa(512*first) + "-" + strconv.Itoa(512*last+511)
	return step{method: "PUT", query: "comp=page", body: strings.Repeat(letter, 512*(last-first+1)), want: "OK",
		headers: append([]string{"x-ms-page-write: " + written, bounds}, headers...)}
}

// TestPages: a page blob has the pages that were written last, and zeros elsewhere.
func TestPages(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	resize := func(size string) step { return set("properties", "OK", "x-ms-blob-content-length: "+size) }
	tests := map[string]struct {
		steps   []step
		content string // a letter a page; a dot means zeros
		ranges  string // start-end of pages
	}{
		"Empty":          {nil, "....", ""},
		"All":            {[]step{pages("a", 0, 3)}, "aaaa", "0-3"},
		"Inside":         {[]step{pages("a", 0, 3), pages("b", 1, 2)}, "abba", "0-3"},
		"Apart":          {[]step{pages("a", 0, 0), pages("b", 2, 2)}, "a.b.", "0-0 2-2"},
		"Adjacent":       {[]step{pages("a", 0, 0), pages("b", 1, 1)}, "ab..", "0-1"},
		"Over a border":  {[]step{pages("a", 0, 1), pages("b", 1, 2)}, "abb.", "0-2"},
		"Cleared":        {[]step{pages("a", 0, 3), pages("", 1, 2)}, "a..a", "0-0 3-3"},
		"All cleared":    {[]step{pages("a", 0, 3), pages("", 0, 3)}, "....", ""},
		"Cleared holes":  {[]step{pages("", 0, 0), pages("", 2, 3)}, "....", ""},
		"Larger":         {[]step{pages("a", 3, 3), resize("3072")}, "...a..", "3-3"},
		"Smaller":        {[]step{pages("a", 0, 3), resize("1024")}, "aa", "0-1"},
		"Smaller, again": {[]step{pages("a", 0, 3), resize("1024"), resize("2048")}, "aa..", "0-1"},
		"Nothing":        {[]step{pages("a", 0, 3), resize("0")}, "", ""},
	}
	for name, tc := range tests {
		blob := url.PathEscape(name)
		for _, s := range append([]step{pageBlob("2048")}, tc.steps...) {
			if got := a.do(t, s.method, blob, s.query, s.body, s.headers...); got.code() != s.want {
				t.Errorf("%s: %s: %d %s", name, s.query, got.status, got.code())
			}
		}
		var want strings.Builder
		for letter := range strings.SplitSeq(tc.content, "") {
			want.WriteString(strings.Repeat(strings.ReplaceAll(letter, ".", "\x00"), 512))
		}
		if diff := cmp.Diff(want.String(), a.content(t, blob)); diff != "" {
			t.Errorf("%s: the content (-want +got):\n%.300s", name, diff)
		}
		if diff := cmp.Diff(tc.ranges, a.ranges(t, blob, "")); diff != "" {
			t.Errorf("%s: the ranges (-want +got):\n%s", name, diff)
		}
	}
	got := a.do(t, http.MethodGet, "Apart", "", "", "x-ms-range: bytes=510-513")
	if got.body != "aa\x00\x00" || got.header.Get("Content-Range") != "bytes 510-513/2048" {
		t.Errorf("over the border of a hole: %q, %v", got.body, got.header)
	}
}

// ranges returns the ranges of a page blob, in pages, with a star for a cleared one.
func (a access) ranges(t *testing.T, blob, query string, headers ...string) string {
	t.Helper()
	got := a.want(t, http.StatusOK, a.do(t, http.MethodGet, blob, "comp=pagelist"+query, "", headers...)).body
	var all []string
	for i, part := range strings.Split(got, "<Start>") {
		if i == 0 {
			continue
		}
		start, rest, _ := strings.Cut(part, "</Start><End>")
		end, rest, _ := strings.Cut(rest, "</End>")
		first, _ := strconv.Atoi(start)
		last, _ := strconv.Atoi(end)
		mark := ""
		if strings.HasPrefix(rest, "</ClearRange>") {
			mark = "*"
		}
		all = append(all, strconv.Itoa(first/512)+"-"+strconv.Itoa(last/512)+mark)
	}
	return strings.Join(all, " ")
}

// TestPageRanges: a list of ranges is limited by a range, by pages of the list, and by a snapshot.
func TestPageRanges(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	do := func(s step) {
		t.Helper()
		if got := a.do(t, s.method, "a", s.query, s.body, s.headers...); got.code() != "OK" {
			t.Fatalf("%s: %s", s.query, got.code())
		}
	}
	for _, s := range []step{pageBlob("5120"), pages("a", 0, 1), pages("b", 3, 3), pages("c", 5, 5), pages("d", 7, 9)} {
		do(s)
	}
	snapshot := url.QueryEscape(a.do(t, http.MethodPut, "a", "comp=snapshot", "").header.Get("X-Ms-Snapshot"))
	larger := set("properties", "OK", "x-ms-blob-content-length: 6144")
	for _, s := range []step{pages("e", 1, 2), pages("", 5, 5), pages("", 6, 6), larger, pages("f", 11, 11)} {
		do(s)
	}
	later := url.QueryEscape(a.do(t, http.MethodPut, "a", "comp=snapshot", "").header.Get("X-Ms-Snapshot"))
	for name, tc := range map[string]struct{ query, header, want string }{
		"All":             {want: "0-3 7-9 11-11"},
		"Of a snapshot":   {query: "&snapshot=" + snapshot, want: "0-1 3-3 5-5 7-9"},
		"Of a range":      {header: "x-ms-range: bytes=512-4095", want: "1-3 7-7"},
		"Of a page":       {query: "&maxresults=2", want: "0-3 7-9"},
		"Next page":       {query: "&maxresults=2&marker=NTYzMg==", want: "11-11"},
		"Changes":         {query: "&prevsnapshot=" + snapshot, want: "1-2 5-5* 11-11"},
		"Changes, range":  {query: "&prevsnapshot=" + snapshot, header: "x-ms-range: bytes=1024-2815", want: "2-2 5-5*"},
		"Changes, beyond": {query: "&prevsnapshot=" + snapshot, header: "x-ms-range: bytes=5120-6143", want: "11-11"},
		"No changes":      {query: "&prevsnapshot=" + later, want: ""},
		"Of two":          {query: "&snapshot=" + later + "&prevsnapshot=" + snapshot, want: "1-2 5-5* 11-11"},
	} {
		if got := a.ranges(t, "a", tc.query, append([]string{"x-none: 1"}, tc.header)[:1+min(len(tc.header), 1)]...); got != tc.want {
			t.Errorf("%s: the ranges are %s, want %s", name, got, tc.want)
		}
	}
	a.put(t, "block", "content")
	for query, want := range map[string]string{
		"&snapshot=" + snapshot + "&prevsnapshot=" + later: "PreviousSnapshotCannotBeNewer", "&prevsnapshot=2026": "PreviousSnapshotNotFound",
		"&prevsnapshot=null": "PreviousSnapshotNotFound", "&marker=*": "InvalidQueryParameterValue",
		"&maxresults=0": "OutOfRangeQueryParameterValue",
	} {
		if got := a.do(t, http.MethodGet, "a", "comp=pagelist"+query, ""); got.code() != want {
			t.Errorf("%s: %s, want %s", query, got.code(), want)
		}
	}
	if got := a.do(t, http.MethodGet, "block", "comp=pagelist", ""); got.code() != "InvalidBlobType" {
		t.Errorf("of a block blob: %s", got.code())
	}
	if got := a.do(t, http.MethodGet, "a", "comp=pagelist", "", "x-ms-range: bytes=6144-"); got.code() != "InvalidRange" {
		t.Errorf("after the end: %s", got.code())
	}
}

// TestPageRules: page blobs have the rules of Azure's reference.
func TestPageRules(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	sequence := func(want string, headers ...string) step { return set("properties", want, headers...) }
	wants := func(s step, want string) step {
		s.want = want
		return s
	}
	source := strings.Repeat("s", 1024)
	a.put(t, "source", source)
	fromURL := func(want string, headers ...string) step {
		return set("page", want, append([]string{"x-ms-copy-source: " + a.url("source", ""), "x-ms-page-write: update"}, headers...)...)
	}
	number := func(want string) step { return head("X-Ms-Blob-Sequence-Number", want) }
	a.tell(t, map[string]story{
		"no size":   {"the size is required", []step{{method: "PUT", headers: []string{pageTyped}, want: "MissingRequiredHeader"}}},
		"odd size":  {"pages have 512 bytes", []step{wants(pageBlob("513"), "InvalidHeaderValue")}},
		"huge size": {"8 TiB are the limit", []step{wants(pageBlob("8796093022720"), "InvalidHeaderValue")}},
		"large":     {"a hole needs no space", []step{pageBlob("8796093022208"), pages("a", 1<<34-1, 1<<34-1)}},
		"body": {
			"it is created without content",
			[]step{{method: "PUT", body: "x", headers: []string{pageTyped, "x-ms-blob-content-length: 512"}, want: "InvalidHeaderValue"}},
		},
		"odd range": {
			"pages have 512 bytes",
			[]step{pageBlob("2048"), wants(pages("", 0, 0, "x-ms-range: bytes=1-512"), "InvalidPageRange")},
		},
		"beyond": {"the blob is smaller", []step{pageBlob("512"), wants(pages("a", 1, 1), "InvalidPageRange")}},
		"open range": {
			"the last page is required",
			[]step{pageBlob("512"), set("page", "InvalidPageRange", "x-ms-page-write: clear", "x-ms-range: bytes=0-")},
		},
		"no range": {"the range is required", []step{pageBlob("512"), set("page", "MissingRequiredHeader", "x-ms-page-write: clear")}},
		"length": {
			"range and content differ",
			[]step{
				pageBlob("2048"),
				{
					method:  "PUT",
					query:   "comp=page",
					body:    "x",
					headers: []string{"x-ms-page-write: update", "x-ms-range: bytes=0-511"},
					want:    "InvalidPageRange",
				},
			},
		},
		"no write": {"the header is required", []step{pageBlob("512"), set("page", "InvalidHeaderValue", "x-ms-range: bytes=0-511")}},
		"clear body": {
			"clearing takes no content",
			[]step{
				pageBlob("512"),
				{
					method:  "PUT",
					query:   "comp=page",
					body:    source[:512],
					headers: []string{"x-ms-page-write: clear", "x-ms-range: bytes=0-511"},
					want:    "InvalidHeaderValue",
				},
			},
		},
		"block blob": {"a block blob has no pages", []step{put("one"), wants(pages("a", 0, 0), "InvalidBlobType")}},
		"resize": {
			"a block blob has no size of its own",
			[]step{put("one"), sequence("InvalidBlobType", "x-ms-blob-content-length: 512")},
		},
		"append": {
			"a page blob takes no blocks",
			[]step{pageBlob("512"), {method: "PUT", query: "comp=appendblock", body: "x", want: "InvalidBlobType"}},
		},
		"tier": {
			"only block blobs have tiers",
			[]step{wants(pageBlob("512", "x-ms-access-tier: Hot"), "AccessTierNotSupportedForBlobType")},
		},
		"less": {
			"it is not less",
			[]step{
				pageBlob("512", "x-ms-blob-sequence-number: 5"),
				wants(pages("a", 0, 0, "x-ms-if-sequence-number-lt: 5"), "SequenceNumberConditionNotMet"),
			},
		},
		"less or eq": {
			"it is equal",
			[]step{pageBlob("512", "x-ms-blob-sequence-number: 5"), pages("a", 0, 0, "x-ms-if-sequence-number-le: 5")},
		},
		"equal": {
			"it is not equal",
			[]step{
				pageBlob("512", "x-ms-blob-sequence-number: 5"),
				wants(pages("", 0, 0, "x-ms-if-sequence-number-eq: 4"), "SequenceNumberConditionNotMet"),
			},
		},
		"malformed": {
			"it is no number",
			[]step{pageBlob("512"), wants(pages("", 0, 0, "x-ms-if-sequence-number-eq: x"), "InvalidHeaderValue")},
		},
		"max": {
			"the greater one counts",
			[]step{
				pageBlob("512", "x-ms-blob-sequence-number: 5"),
				sequence("OK", "x-ms-sequence-number-action: max", "x-ms-blob-sequence-number: 3"),
				number("5"),
			},
		},
		"update": {
			"the new one counts",
			[]step{
				pageBlob("512", "x-ms-blob-sequence-number: 5"),
				sequence("OK", "x-ms-sequence-number-action: update", "x-ms-blob-sequence-number: 3"),
				number("3"),
			},
		},
		"increment": {"it grows by one", []step{pageBlob("512"), sequence("OK", "x-ms-sequence-number-action: increment"), number("1")}},
		"increment 2": {
			"it takes no number",
			[]step{pageBlob("512"), sequence("InvalidHeaderValue", "x-ms-sequence-number-action: increment", "x-ms-blob-sequence-number: 3")},
		},
		"no number": {"it needs a number", []step{pageBlob("512"), sequence("MissingRequiredHeader", "x-ms-sequence-number-action: max")}},
		"action": {
			"the action is unknown",
			[]step{pageBlob("512"), sequence("InvalidHeaderValue", "x-ms-sequence-number-action: min", "x-ms-blob-sequence-number: 3")},
		},
		"kept": {
			"a new size keeps the other properties",
			[]step{pageBlob("512", "x-ms-blob-content-type: a/b"), sequence("OK", "x-ms-blob-content-length: 0"), head("Content-Type", "a/b")},
		},
		"replaced": {
			"other properties replace all",
			[]step{
				pageBlob("512", "x-ms-blob-content-type: a/b"),
				sequence("OK", "x-ms-blob-content-length: 0", "x-ms-blob-cache-control: c"),
				head("Content-Type", ""),
			},
		},
		"from url": {
			"pages are copied",
			[]step{
				pageBlob("1024"),
				fromURL("OK", "x-ms-range: bytes=512-1023", "x-ms-source-range: bytes=0-511"),
				{method: "GET", headers: []string{"x-ms-range: bytes=512-515"}, want: "OK"},
			},
		},
		"from url 2": {"range and source differ", []step{pageBlob("1024"), fromURL("InvalidPageRange", "x-ms-range: bytes=512-1023")}},
	})
	a.want(t, http.StatusAccepted, a.do(t, http.MethodPut, "copied", "", "", "x-ms-copy-source: "+a.url("update", "")))
	if got := a.do(t, http.MethodHead, "copied", "", "").header; got.Get("X-Ms-Blob-Sequence-Number") != "3" ||
		got.Get("X-Ms-Blob-Type") != "PageBlob" {
		t.Errorf("the copy has %v", got)
	}
	if list := a.do(t, http.MethodGet, "", "restype=container&comp=list&prefix=update", "").body; !strings.Contains(list,
		"<x-ms-blob-sequence-number>3</x-ms-blob-sequence-number>") {
		t.Errorf("the list is %s", list)
	}
}

// TestPagesAreKept: after a restart with a directory, and in a snapshot of the store, the pages are as
// before.
func TestPagesAreKept(t *testing.T) {
	dir, image := t.TempDir(), t.TempDir()+"/image"
	t.Run("before", func(t *testing.T) {
		a := serveIn(t, azure.Options{}, store.Options{Dir: dir}).access(t)
		for _, s := range []step{pageBlob("2048"), pages("a", 1, 2), pages("", 2, 2)} {
			if got := a.do(t, s.method, "a", s.query, s.body, s.headers...); got.code() != "OK" {
				t.Errorf("%s: %s", s.query, got.code())
			}
		}
		frozen, thaw, err := a.f.store.Freeze(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		thaw()
		defer frozen.Release()
		if err := frozen.Write(image); err != nil {
			t.Fatal(err)
		}
	})
	for _, kept := range []string{dir, image} {
		t.Run(filepath.Base(kept), func(t *testing.T) {
			a := serveIn(t, azure.Options{}, store.Options{Dir: kept}).access(t)
			if got := a.ranges(t, "a", ""); got != "1-1" {
				t.Errorf("the ranges are %s", got)
			}
			zeros := strings.Repeat("\x00", 512)
			if got := a.content(t, "a"); got != zeros+strings.Repeat("a", 512)+zeros+zeros {
				t.Errorf("the content is %q", got)
			}
		})
	}
}
