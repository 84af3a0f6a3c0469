package azure_test

import (
	"crypto/md5" //nolint:gosec // Azure uses MD5
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// TestBlob: a blob has the content of its put, even with odd names.
func TestBlob(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	for name, blob := range map[string]string{"plain": "a.txt", "path": "2026/11/a.txt", "dots": "a/../b",
		"escaped": "a%20%25%3F%23b", "unicode": "%C3%A4"} {
		a.put(t, blob, name, "Content-Type: text/plain", "x-ms-meta-Colour: red", "x-ms-blob-cache-control: no-cache", "x-ms-tags: a=b%20c")
		got := a.want(t, http.StatusOK, a.do(t, http.MethodGet, blob, "", ""))
		want := map[string]string{
			"Content-Type": "text/plain", "X-Ms-Meta-Colour": "red", "Cache-Control": "no-cache", "X-Ms-Tag-Count": "1",
			"X-Ms-Blob-Type": "BlockBlob", "X-Ms-Lease-State": "available", "X-Ms-Version": version,
		}
		for header, value := range want {
			if got.header.Get(header) != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got.header.Get(header), value)
			}
		}
		if got.body != name {
			t.Errorf("%s: the content is %q", name, got.body)
		}
		head := a.want(t, http.StatusOK, a.do(t, http.MethodHead, blob, "", ""))
		if head.header.Get("Etag") != got.header.Get("Etag") || head.header.Get("Content-Md5") != got.header.Get("Content-Md5") {
			t.Errorf("%s: HEAD and GET differ: %v, %v", name, head.header, got.header)
		}
		a.want(t, http.StatusAccepted, a.do(t, http.MethodDelete, blob, "", ""))
		if got := a.do(t, http.MethodGet, blob, "", ""); got.code() != "BlobNotFound" {
			t.Errorf("%s: after the deletion: %s", name, got.code())
		}
	}
}

// TestRanges: a range is a part of the content, or an error.
func TestRanges(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "0123456789")
	a.put(t, "empty", "")
	tests := map[string]struct {
		blob, header string
		status       int
		body         string
	}{
		"First":     {"a", "x-ms-range: bytes=0-0", 206, "0"},
		"Middle":    {"a", "Range: bytes=2-4", 206, "234"},
		"Open":      {"a", "Range: bytes=8-", 206, "89"},
		"TooLong":   {"a", "Range: bytes=8-99999999999999999999", 206, "89"},
		"After":     {"a", "Range: bytes=10-", 416, ""},
		"OfEmpty":   {"empty", "Range: bytes=0-", 416, ""},
		"Suffix":    {"a", "Range: bytes=-2", 200, "0123456789"},
		"Backwards": {"a", "Range: bytes=4-2", 200, "0123456789"},
		"None":      {"a", "X-None: 1", 200, "0123456789"},
	}
	for name, tc := range tests {
		got := a.do(t, http.MethodGet, tc.blob, "", "", tc.header)
		if got.status != tc.status || tc.status < 300 && got.body != tc.body {
			t.Errorf("%s: %d %q, want %d %q", name, got.status, got.body, tc.status, tc.body)
		}
	}
	got := a.do(t, http.MethodGet, "a", "", "", "x-ms-range: bytes=2-4", "x-ms-range-get-content-md5: true")
	if want := base64.StdEncoding.EncodeToString(digestOf("234")); got.header.Get("Content-Md5") != want {
		t.Errorf("the range has the digest %q, want %q", got.header.Get("Content-Md5"), want)
	}
}

func digestOf(content string) []byte {
	digest := md5.Sum([]byte(content)) //nolint:gosec // Azure uses MD5
	return digest[:]
}

func blockID(n string) string { return base64.StdEncoding.EncodeToString([]byte(n)) }

func blockList(blocks ...string) string {
	var list strings.Builder
	list.WriteString(`<?xml version="1.0" encoding="utf-8"?><BlockList>`)
	for _, block := range blocks {
		from, id, _ := strings.Cut(block, ":")
		list.WriteString("<" + from + ">" + blockID(id) + "</" + from + ">")
	}
	return list.String() + "</BlockList>"
}

// TestBlocks: a list of blocks makes a blob of uncommitted blocks and of its own.
func TestBlocks(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	stage := func(id, body string) response {
		return a.do(t, http.MethodPut, "a", "comp=block&blockid="+strings.ReplaceAll(blockID(id), "=", "%3D"), body)
	}
	commit := func(blocks ...string) response {
		return a.do(t, http.MethodPut, "a", "comp=blocklist", blockList(blocks...))
	}
	for id, body := range map[string]string{"1": "one", "2": "two", "3": "three"} {
		a.want(t, http.StatusCreated, stage(id, body))
	}
	if got := a.do(t, http.MethodGet, "a", "", ""); got.code() != "BlobNotFound" {
		t.Errorf("a blob of uncommitted blocks: %s", got.code())
	}
	if got := stage("long", "x"); got.code() != "InvalidBlobOrBlock" {
		t.Errorf("an ID of another length: %s", got.code())
	}
	a.want(t, http.StatusCreated, commit("Latest:2", "Uncommitted:1", "Latest:2"))
	if got := a.content(t, "a"); got != "twoonetwo" {
		t.Errorf("the content is %q", got)
	}
	if got := commit("Latest:3"); got.code() != "InvalidBlockList" {
		t.Errorf("a block that was discarded: %s", got.code())
	}
	a.want(t, http.StatusCreated, stage("2", "TWO"))
	a.want(t, http.StatusCreated, commit("Committed:2", "Uncommitted:2", "Committed:1"))
	if got := a.content(t, "a"); got != "twoTWOone" {
		t.Errorf("the content is %q", got)
	}
	list := a.want(t, http.StatusOK, a.do(t, http.MethodGet, "a", "comp=blocklist&blocklisttype=all", "")).body
	if got := regexp.MustCompile(`<Size>(\d+)</Size>`).FindAllString(list, -1); len(got) != 3 {
		t.Errorf("the list of blocks is %s", list)
	}
}

// TestAppend: an append blob grows, and conditions limit the position.
func TestAppend(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "log", "", "", "x-ms-blob-type: AppendBlob"))
	for i, line := range []string{"one", "two"} {
		got := a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "log", "comp=appendblock", line))
		if want := []string{"0", "3"}[i]; got.header.Get("X-Ms-Blob-Append-Offset") != want {
			t.Errorf("%s is at %q, want %s", line, got.header.Get("X-Ms-Blob-Append-Offset"), want)
		}
	}
	for header, want := range map[string]string{
		"x-ms-blob-condition-appendpos: 3": "AppendPositionConditionNotMet", "x-ms-blob-condition-maxsize: 6": "MaxBlobSizeConditionNotMet",
		"x-ms-blob-condition-appendpos: x": "InvalidHeaderValue",
	} {
		if got := a.do(t, http.MethodPut, "log", "comp=appendblock", "x", header); got.code() != want {
			t.Errorf("%s: %s, want %s", header, got.code(), want)
		}
	}
	if got := a.content(t, "log"); got != "onetwo" {
		t.Errorf("the content is %q", got)
	}
	a.put(t, "a", "")
	if got := a.do(t, http.MethodPut, "a", "comp=appendblock", "x"); got.code() != "InvalidBlobType" {
		t.Errorf("appending to a block blob: %s", got.code())
	}
}

// TestChecksums: a body with another checksum changes nothing.
func TestChecksums(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "old")
	tests := map[string]struct{ header, want string }{
		"MD5":        {"Content-MD5: XUFAKrxLKna5cZ2REBfFkg==", "OK"}, // of hello
		"OtherMD5":   {"Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==", "Md5Mismatch"},
		"ShortMD5":   {"Content-MD5: AAAA", "InvalidMd5"},
		"OtherCRC64": {"x-ms-content-crc64: AAAAAAAAAAA=", "Crc64Mismatch"},
		"ShortCRC64": {"x-ms-content-crc64: AAAA", "InvalidHeaderValue"},
	}
	for name, tc := range tests {
		got := a.do(t, http.MethodPut, name, "", "hello", tc.header, "x-ms-blob-type: BlockBlob")
		if got.code() != tc.want {
			t.Errorf("%s: %s, want %s", name, got.code(), tc.want)
		}
		if got := a.do(t, http.MethodHead, name, "", ""); (got.status == http.StatusOK) != (tc.want == "OK") {
			t.Errorf("%s: then HEAD returns %d", name, got.status)
		}
	}
}

// TestLeases: only the holder of a lease changes the blob.
func TestLeases(t *testing.T) {
	now := time.Now()
	a := serve(t, azure.Options{Now: func() time.Time { return now }}).access(t)
	a.put(t, "a", "one")
	const id, other = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
	lease := func(action string, headers ...string) response {
		return a.do(t, http.MethodPut, "a", "comp=lease", "", append([]string{"x-ms-lease-action: " + action}, headers...)...)
	}
	write := func(headers ...string) string {
		return a.do(t, http.MethodPut, "a", "", "two", append([]string{"x-ms-blob-type: BlockBlob"}, headers...)...).code()
	}
	type step struct{ what, got, want string }
	check := func(steps ...step) {
		t.Helper()
		for _, s := range steps {
			if s.got != s.want {
				t.Errorf("%s: %s, want %s", s.what, s.got, s.want)
			}
		}
	}
	check(
		step{"renew without a lease", lease("renew", "x-ms-lease-id: "+id).code(), "LeaseIdMismatchWithLeaseOperation"},
		step{"too short", lease("acquire", "x-ms-lease-duration: 14").code(), "InvalidHeaderValue"},
		step{"acquire", lease("acquire", "x-ms-lease-duration: 15", "x-ms-proposed-lease-id: "+id).code(), "OK"},
		step{"acquire again", lease("acquire", "x-ms-lease-duration: 15", "x-ms-proposed-lease-id: "+other).code(), "LeaseAlreadyPresent"},
		step{"write without", write(), "LeaseIdMissing"},
		step{"write with another", write("x-ms-lease-id: " + other), "LeaseIdMismatchWithBlobOperation"},
		step{"delete without", a.do(t, http.MethodDelete, "a", "", "").code(), "LeaseIdMissing"},
		step{"write with the lease", write("x-ms-lease-id: " + id), "OK"},
		step{"change", lease("change", "x-ms-lease-id: "+id, "x-ms-proposed-lease-id: "+other).code(), "OK"},
		step{"write with the old ID", write("x-ms-lease-id: " + id), "LeaseIdMismatchWithBlobOperation"},
	)
	now = now.Add(16 * time.Second)
	check(
		step{"write with an expired lease", write("x-ms-lease-id: " + other), "LeaseLost"},
		step{"renew an expired lease", lease("renew", "x-ms-lease-id: "+other).code(), "OK"},
		step{"break", lease("break", "x-ms-lease-break-period: 5").code(), "OK"},
		step{"write while it breaks", write(), "LeaseIdMissing"},
	)
	now = now.Add(6 * time.Second)
	check(
		step{"renew a broken lease", lease("renew", "x-ms-lease-id: "+other).code(), "LeaseIsBrokenAndCannotBeRenewed"},
		step{"write to a broken one", write(), "OK"},
		step{"release after the write", lease("release", "x-ms-lease-id: "+other).code(), "LeaseIdMismatchWithLeaseOperation"},
		step{"acquire once more", lease("acquire", "x-ms-lease-duration: 15", "x-ms-proposed-lease-id: "+id).code(), "OK"},
	)
	now = now.Add(16 * time.Second)
	check(
		step{"write after the end", write(), "OK"},
		step{"renew after the write", lease("renew", "x-ms-lease-id: "+id).code(), "LeaseIdMismatchWithLeaseOperation"},
		step{"write with the ID", write("x-ms-lease-id: " + id), "LeaseNotPresentWithBlobOperation"},
	)
	if got := a.content(t, "a"); got != "two" {
		t.Errorf("the content is %q", got)
	}
}

// TestSnapshots: a snapshot does not change.
func TestSnapshots(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	a.put(t, "a", "one")
	first := a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "a", "comp=snapshot", "")).header.Get("X-Ms-Snapshot")
	a.put(t, "a", "two")
	second := a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "a", "comp=snapshot", "")).header.Get("X-Ms-Snapshot")
	a.put(t, "a", "three")
	got := []string{
		a.do(t, http.MethodGet, "a", "snapshot="+first, "").body, a.do(t, http.MethodGet, "a", "snapshot="+second, "").body, a.content(t, "a"),
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, got); diff != "" {
		t.Errorf("the snapshots and the blob (-want +got):\n%s", diff)
	}
	list := a.do(t, http.MethodGet, "", "restype=container&comp=list&include=snapshots", "").body
	if n := strings.Count(list, "<Blob>"); n != 3 {
		t.Errorf("the list has %d entries: %s", n, list)
	}
	if got := a.do(t, http.MethodDelete, "a", "", ""); got.code() != "SnapshotsPresent" {
		t.Errorf("deleting a blob with snapshots: %s", got.code())
	}
	a.want(t, http.StatusAccepted, a.do(t, http.MethodDelete, "a", "snapshot="+first, ""))
	if got := a.do(t, http.MethodGet, "a", "snapshot="+first, ""); got.code() != "BlobNotFound" {
		t.Errorf("a deleted snapshot: %s", got.code())
	}
	a.want(t, http.StatusAccepted, a.do(t, http.MethodDelete, "a", "", "", "x-ms-delete-snapshots: include"))
}

// TestTagsAndMetadata: they are replaced as a whole, and only metadata changes the ETag.
func TestTagsAndMetadata(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	etag := a.put(t, "a", "one", "x-ms-meta-old: 1").header.Get("Etag")
	tags := `<Tags><TagSet><Tag><Key>colour</Key><Value>red</Value></Tag></TagSet></Tags>`
	a.want(t, http.StatusNoContent, a.do(t, http.MethodPut, "a", "comp=tags", tags))
	if got := a.do(t, http.MethodGet, "a", "comp=tags", "").body; !strings.Contains(got, "<Key>colour</Key><Value>red</Value>") {
		t.Errorf("the tags are %s", got)
	}
	if got := a.do(t, http.MethodHead, "a", "", "").header.Get("Etag"); got != etag {
		t.Errorf("tags changed the ETag from %s to %s", etag, got)
	}
	a.want(t, http.StatusOK, a.do(t, http.MethodPut, "a", "comp=metadata", "", "x-ms-meta-new: 2"))
	head := a.do(t, http.MethodHead, "a", "comp=metadata", "").header
	if head.Get("X-Ms-Meta-New") != "2" || head.Get("X-Ms-Meta-Old") != "" || head.Get("Etag") == etag {
		t.Errorf("after new metadata: %v", head)
	}
	a.want(t, http.StatusOK, a.do(t, http.MethodPut, "a", "comp=properties", "", "x-ms-blob-content-type: image/png"))
	if got := a.do(t, http.MethodHead, "a", "", "").header; got.Get("Content-Type") != "image/png" || got.Get("X-Ms-Meta-New") != "2" {
		t.Errorf("after new properties: %v", got)
	}
	if got := a.do(t, http.MethodPut, "a", "comp=metadata", "", "x-ms-meta-a-b: 1"); got.code() != "InvalidMetadata" {
		t.Errorf("a name that is no identifier: %s", got.code())
	}
}

// TestCopies: the source is a blob of the service that its own signature may read.
func TestCopies(t *testing.T) {
	f := serve(t, azure.Options{})
	a := f.access(t)
	f.container(t, "other")
	foreign := f.signed("other", f.account(t, "ba-other", everything("other")), all)
	foreign.put(t, "theirs", "secret")
	a.put(t, "a", "one", "x-ms-meta-colour: red", "x-ms-tags: size=20")
	unsigned, _, _ := strings.Cut(a.url("a", ""), "?")
	forged := access{f, "other", a.token}
	tests := map[string]struct{ source, want string }{
		"Same":     {a.url("a", ""), "OK"},
		"Other":    {foreign.url("theirs", ""), "OK"},
		"Missing":  {a.url("none", ""), "BlobNotFound"},
		"Unsigned": {unsigned, "CannotVerifyCopySource"},
		"Forged":   {forged.url("theirs", ""), "CannotVerifyCopySource"},
		"Outside":  {"https://example.com/a/photos/a", "CannotVerifyCopySource"},
	}
	for name, tc := range tests {
		if got := a.do(t, http.MethodPut, name, "", "", "x-ms-copy-source: "+tc.source); got.code() != tc.want {
			t.Errorf("%s: %s, want %s", name, got.code(), tc.want)
		}
	}
	head := a.do(t, http.MethodHead, "Same", "", "").header
	if head.Get("X-Ms-Copy-Status") != "success" || head.Get("X-Ms-Meta-Colour") != "red" || head.Get("X-Ms-Copy-Source") != a.url("a", "") {
		t.Errorf("the copy has %v", head)
	}
	md5OfOne := "x-ms-source-content-md5: " + base64.StdEncoding.EncodeToString(digestOf("one"))
	a.want(t, http.StatusAccepted, a.do(t, http.MethodPut, "Verified", "", "", "x-ms-copy-source: "+a.url("a", ""),
		"x-ms-requires-sync: true", md5OfOne, "x-ms-copy-source-tag-option: COPY"))
	if got := a.do(t, http.MethodGet, "Verified", "comp=tags", "").body; !strings.Contains(got, "<Key>size</Key>") {
		t.Errorf("the copy with tags has %s", got)
	}
	if got := a.content(t, "Other"); got != "secret" {
		t.Errorf("the copy of another container is %q", got)
	}
}

// TestKept: after a restart with a directory everything is as before, including uncommitted blocks.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	var snapshot, target string
	t.Run("before", func(t *testing.T) {
		a := serveIn(t, azure.Options{}, store.Options{Dir: dir}).access(t)
		a.put(t, "a", "one", "x-ms-meta-colour: red")
		snapshot = a.do(t, http.MethodPut, "a", "comp=snapshot", "").header.Get("X-Ms-Snapshot")
		a.put(t, "a", "two")
		a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "b", "comp=block&blockid="+blockID("abc"), "block"))
		target = a.token.Encode()
	})
	a := serveIn(t, azure.Options{}, store.Options{Dir: dir}).access(t)
	if a.token.Encode() != target {
		t.Error("the signature is another one after the restart")
	}
	a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "b", "comp=blocklist", blockList("Latest:abc")))
	got := []string{a.content(t, "a"), a.content(t, "b"), a.do(t, http.MethodGet, "a", "snapshot="+snapshot, "").body}
	if diff := cmp.Diff([]string{"two", "block", "one"}, got); diff != "" {
		t.Errorf("after the restart (-want +got):\n%s", diff)
	}
}
