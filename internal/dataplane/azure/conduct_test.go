package azure_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

// TestIgnored: Azure ignores parameters and headers that it does not know, and headers of other
// operations. It rejects others by their names.
func TestIgnored(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "content")
	block := "comp=block&blockid=" + blockID("abc")
	for name, tc := range map[string]struct{ method, query, body, header, want string }{
		"Parameter":                {method: "GET", query: "x-id=GetObject&nocache=1", want: "OK"},
		"Parameter twice":          {method: "GET", query: "nocache=1&nocache=2", want: "OK"},
		"Header":                   {method: "GET", header: "x-ms-useragent: azsdk", want: "OK"},
		"Header of Amazon":         {method: "GET", header: "x-amz-date: today", want: "OK"},
		"Tags of a block":          {method: "PUT", query: block, body: "block", header: "x-ms-tags: *", want: "OK"},
		"Digest of a block's blob": {method: "PUT", query: block, body: "block", header: "x-ms-blob-content-md5: x", want: "OK"},
		"Metadata of a block":      {method: "PUT", query: block, body: "block", header: "x-ms-meta-1-2: x", want: "OK"},
		"Tier of a read":           {method: "GET", header: "x-ms-access-tier: Cool", want: "OK"},
		"Condition of a block":     {method: "PUT", query: block, body: "block", header: "x-ms-if-tags: a", want: "OK"},
		"Version":                  {method: "GET", query: "versionid=x", want: "UnsupportedQueryParameter"},
		"Snapshot of a write":      {method: "PUT", query: "comp=metadata&snapshot=x", want: "UnsupportedQueryParameter"},
		"Known parameter twice":    {method: "GET", query: "timeout=1&timeout=2", want: "InvalidQueryParameterValue"},
		"Key":                      {method: "GET", header: "x-ms-encryption-key: x", want: "UnsupportedHeader"},
		"Scope":                    {method: "PUT", query: block, body: "block", header: "x-ms-encryption-scope: x", want: "UnsupportedHeader"},
		"No legal hold":            {method: "GET", header: "x-ms-legal-hold: false", want: "OK"},
	} {
		var headers []string
		if tc.header != "" {
			headers = append(headers, tc.header)
		}
		if got := a.do(t, tc.method, "a", tc.query, tc.body, headers...); got.code() != tc.want {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.code(), tc.want)
		}
	}
}

// TestLeaseIDs: the forms of a GUID are one ID.
func TestLeaseIDs(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "one")
	const id = "ca761232-ed42-11ce-bacd-00aa0057b223"
	forms := []string{
		id, strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "{" + id + "}", "(" + id + ")", "{" + strings.ToUpper(id) + "}", " " + id + " ",
		"{0xca761232,0xed42,0x11ce,{0xba,0xcd,0x00,0xaa,0x00,0x57,0xb2,0x23}}",
		"{0xCA761232, 0xED42, 0x11CE, {0xBA, 0xCD, 0x0, 0xAA, 0x0, 0x57, 0xB2, 0x23}}",
	}
	for _, proposed := range forms {
		got := a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "a", "comp=lease", "", "x-ms-lease-action: acquire",
			"x-ms-lease-duration: -1", "x-ms-proposed-lease-id: "+proposed))
		if got.header.Get("X-Ms-Lease-Id") != id {
			t.Errorf("%s: the ID is %s", proposed, got.header.Get("X-Ms-Lease-Id"))
		}
		for _, given := range forms {
			if got := a.do(t, http.MethodPut, "a", "comp=metadata", "", "x-ms-lease-id: "+given); got.code() != "OK" {
				t.Errorf("%s: writing with %s: %s", proposed, given, got.code())
			}
		}
	}
	for _, wrong := range []string{
		"x", "abcdefg", "urn:uuid:" + id, "{" + id, id + "}", "{" + id + ")", "{" + strings.ReplaceAll(id, "-", "") + "}", id[1:],
		"ca76-1232ed42-11ce-bacd-00aa0057b223", "{0xca761232,0xed42}", id + id,
	} {
		if got := a.do(t, http.MethodPut, "a", "comp=metadata", "", "x-ms-lease-id: "+wrong); got.code() != "InvalidHeaderValue" {
			t.Errorf("%s: %s", wrong, got.code())
		}
	}
}

// TestExclusiveHeaders: Azure names the headers that exclude each other.
func TestExclusiveHeaders(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	md5OfOne := base64.StdEncoding.EncodeToString(digestOf("one"))
	sums := []string{"Content-MD5: " + md5OfOne, "x-ms-content-crc64: AAAAAAAAAAA="}
	log := step{method: "PUT", headers: []string{appendTyped}, want: "OK"}
	pages := step{method: "PUT", headers: []string{pageTyped, "x-ms-blob-content-length: 512"}, want: "OK"}
	a.put(t, "source", "one")
	const both = "BothCrc64AndMd5HeaderPresent"
	sourceSums := []string{"x-ms-copy-source: " + a.url("source", ""), "x-ms-requires-sync: true", "x-ms-source-content-md5: " + md5OfOne,
		"x-ms-source-content-crc64: AAAAAAAAAAA="}
	a.tell(t, map[string]story{
		"put": {"one checksum is allowed", []step{{method: "PUT", body: "one", headers: append(sums, blockTyped), want: both}}},
		"block": {
			"one checksum is allowed",
			[]step{{method: "PUT", query: "comp=block&blockid=" + blockID("a"), body: "one", headers: sums, want: both}},
		},
		"append": {"one checksum is allowed", []step{log, {method: "PUT", query: "comp=appendblock", body: "one", headers: sums, want: both}}},
		"page": {"one checksum is allowed", []step{pages, {method: "PUT", query: "comp=page", body: strings.Repeat("x", 512),
			headers: append(sums, "x-ms-page-write: update", "x-ms-range: bytes=0-511"), want: both}}},
		"copy": {"one checksum is allowed", []step{{method: "PUT", headers: sourceSums, want: both}}},
		"tags": {"tags have one origin", []step{{method: "PUT", want: "BothUserTagsAndSourceTagsCopyPresentException",
			headers: append(sourceSums[:2:2], "x-ms-copy-source-tag-option: COPY", "x-ms-tags: a=b")}}},
		"ranges": {
			"a range has one checksum",
			[]step{put("one"), {method: "GET", want: "InvalidHeaderValue", headers: []string{"x-ms-range: bytes=0-1",
				"x-ms-range-get-content-md5: true", "x-ms-range-get-content-crc64: true"}}},
		},
		"conditions": {"a write has conditions of one kind", []step{put("one"), set("metadata", "MultipleConditionHeadersNotSupported",
			`If-Match: "0x1"`, `If-None-Match: "0x2"`)}},
		"etags": {
			"a write has one ETag",
			[]step{put("one"), set("metadata", "MultipleConditionHeadersNotSupported", `If-Match: "0x1", "0x2"`)},
		},
		"read": {
			"no blob is none of all",
			[]step{put("one"), {method: "GET", headers: []string{"If-None-Match: *"}, want: "UnsatisfiableCondition"}},
		},
		"delete": {
			"only a creation requires that the blob does not exist",
			[]step{put("one"), {method: "DELETE", headers: []string{"If-None-Match: *"}, want: "OK"}},
		},
		"many of any": {
			"a read can have many ETags",
			[]step{put("one"), {method: "GET", headers: []string{`If-None-Match: "0x1", "0x2"`}, want: "OK"}},
		},
	})
}

// TestDigests: Put Blob verifies the digest that it stores, and Set Blob Properties stores any.
func TestDigests(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	right, wrong := base64.StdEncoding.EncodeToString(digestOf("one")), base64.StdEncoding.EncodeToString(digestOf("two"))
	a.tell(t, map[string]story{
		"stored": {
			"the stored digest is verified",
			[]step{put("one", "Content-MD5: "+wrong, "x-ms-blob-content-md5: "+right), head("Content-Md5", right)},
		},
		"foreign": {
			"the stored digest is verified",
			[]step{
				{
					method:  "PUT",
					body:    "one",
					headers: []string{blockTyped, "Content-MD5: " + right, "x-ms-blob-content-md5: " + wrong},
					want:    "Md5Mismatch",
				},
			},
		},
		"properties": {"the client's digest is stored", []step{put("one"), set("properties", "OK", "x-ms-blob-content-md5: AQIDBA=="),
			head("Content-Md5", "AQIDBA==")}},
		"list": {"the client's digest is stored", []step{{method: "PUT", query: "comp=blocklist", body: "<BlockList/>",
			headers: []string{"x-ms-blob-content-md5: " + wrong}, want: "OK"}, head("Content-Md5", wrong)}},
		"range": {
			"a range has the blob's digest beside its own",
			[]step{put("one"), {method: "GET", headers: []string{"x-ms-range: bytes=0-1"}, want: "OK",
				header: map[string]string{"X-Ms-Blob-Content-Md5": right, "Content-Md5": ""}}},
		},
		"outside": {
			"the client learns the size",
			[]step{put("one"), {method: "GET", headers: []string{"x-ms-range: bytes=3-"}, want: "InvalidRange",
				header: map[string]string{"Content-Range": "bytes */3"}}},
		},
	})
}

// TestNames: Azure's names of blobs have slashes in place of backslashes.
func TestNames(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, `a%5Cb`, "content")
	if got := a.content(t, "a/b"); got != "content" {
		t.Errorf("the content is %q", got)
	}
	a.want(t, http.StatusAccepted, a.do(t, http.MethodPut, "copy", "", "", "x-ms-copy-source: "+a.url("a%5Cb", "")))
	if diff := cmp.Diff([]string{"a/b", "copy"}, a.names(t, "")); diff != "" {
		t.Errorf("the names (-want +got):\n%s", diff)
	}
}

// TestCopySources: a copy reports the URL of its source as the client gave it.
func TestCopySources(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "one")
	snapshot := a.do(t, http.MethodPut, "a", "comp=snapshot", "").header.Get("X-Ms-Snapshot")
	a.put(t, "a", "two")
	source := a.url("a", "snapshot="+url.QueryEscape(snapshot))
	a.want(t, http.StatusAccepted, a.do(t, http.MethodPut, "copy", "", "", "x-ms-copy-source: "+source))
	if got := a.do(t, http.MethodHead, "copy", "", "").header.Get("X-Ms-Copy-Source"); got != source {
		t.Errorf("the source is %s, want %s", got, source)
	}
	if got := a.content(t, "copy"); got != "one" {
		t.Errorf("the copy is %q", got)
	}
	for source, want := range map[string]string{"/a/b/c": "InvalidHeaderValue", a.url(strings.Repeat("x", 2<<10), ""): "InvalidHeaderValue"} {
		if got := a.do(t, http.MethodPut, "copy", "", "", "x-ms-copy-source: "+source); got.code() != want {
			t.Errorf("%.20s: %s, want %s", source, got.code(), want)
		}
	}
	tagged := []string{"x-ms-copy-source: " + a.url("tagged", ""), `x-ms-source-if-tags: "a" = 'b'`}
	a.put(t, "tagged", "one", "x-ms-tags: a=c")
	if got := a.do(t, http.MethodPut, "copy", "", "", tagged...); got.code() != "SourceConditionNotMet" {
		t.Errorf("a source with other tags: %s", got.code())
	}
	a.put(t, "tagged", "one", "x-ms-tags: a=b")
	if got := a.do(t, http.MethodPut, "copy", "", "", tagged...); got.code() != "OK" {
		t.Errorf("a source with these tags: %s", got.code())
	}
}

// TestUncommittedPrefixes: blobs that have only blocks have common prefixes, too.
func TestUncommittedPrefixes(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a/b", "one")
	for _, name := range []string{"a/c", "b/c", "b/d", "c"} {
		a.want(t, http.StatusCreated, a.do(t, http.MethodPut, name, "comp=block&blockid="+blockID("abc"), "block"))
	}
	for query, want := range map[string][]string{
		"delimiter=/":                                      {"a/"},
		"delimiter=/&include=uncommittedblobs":             {"c", "a/", "b/"},
		"delimiter=/&include=UncommittedBlobs,Metadata":    {"c", "a/", "b/"},
		"delimiter=/&prefix=b/&include=uncommittedblobs":   {"b/c", "b/d"},
		"prefix=b&include=uncommittedblobs":                {"b/c", "b/d"},
		"delimiter=/&include=UNCOMMITTEDBLOBS&prefix=none": nil,
	} {
		if diff := cmp.Diff(want, a.names(t, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// TestOverwriting: the permission to create is for new blobs only.
func TestOverwriting(t *testing.T) {
	f := serve(t, azure.Options{})
	key := f.account(t, "ba-all", everything("photos"))
	owner, creator := f.signed("photos", key, all), f.signed("photos", key, "c")
	owner.put(t, "source", "one")
	copied := "x-ms-copy-source: " + owner.url("source", "")
	for name, headers := range map[string][]string{
		"put": {blockTyped}, "append": {appendTyped}, "pages": {pageTyped, "x-ms-blob-content-length: 0"}, "copy": {copied},
		"sync": {copied, "x-ms-requires-sync: true"}, "from": {copied, blockTyped},
	} {
		for i, want := range []string{"OK", "UnauthorizedBlobOverwrite"} {
			if got := creator.do(t, http.MethodPut, name, "", "", headers...); got.code() != want {
				t.Errorf("%s, request %d: %s, want %s", name, i+1, got.code(), want)
			}
		}
		if got := owner.do(t, http.MethodPut, name, "", "", headers...); got.code() != "OK" {
			t.Errorf("%s, with the permission to write: %s", name, got.code())
		}
	}
}

// TestOverriddenHeaders: a signature can replace headers of responses.
func TestOverriddenHeaders(t *testing.T) {
	f := serve(t, azure.Options{})
	key := f.account(t, "ba-all", everything("photos"))
	a := f.signed("photos", key, all)
	a.put(t, "a", "one", "x-ms-blob-content-type: a/b", "x-ms-blob-cache-control: no-cache")
	a.token.Set("rsct", "c/d")
	a.token.Set("rscd", `attachment; filename="e f"`)
	a.token.Set("sig", sas.Sign(sas.Account("photos"), "photos", a.token, key.SecretAccessKey))
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := a.want(t, http.StatusOK, a.do(t, method, "a", "", "")).header
		if got.Get("Content-Type") != "c/d" || got.Get("Content-Disposition") != `attachment; filename="e f"` ||
			got.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", method, got)
		}
	}
}
