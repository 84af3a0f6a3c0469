package azure_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestRepeatedRequests: a client that has lost the response to a request sends it again.
func TestRepeatedRequests(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	const id, other = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
	block := step{method: "PUT", query: "comp=block&blockid=" + blockID("abc"), body: "block", want: "OK"}
	commit := func(from string) step {
		return step{method: "PUT", query: "comp=blocklist", body: blockList(from + ":abc"), want: "OK"}
	}
	lease := func(action string, headers ...string) step {
		return set("lease", "OK", append([]string{"x-ms-lease-action: " + action}, headers...)...)
	}
	acquire := lease("acquire", "x-ms-lease-duration: 15", "x-ms-proposed-lease-id: "+id)
	log := step{method: "PUT", headers: []string{appendTyped}, want: "OK"}
	line := func(headers ...string) step {
		return step{method: "PUT", query: "comp=appendblock", body: "line", headers: headers, want: "OK"}
	}
	pages := step{method: "PUT", headers: []string{pageTyped, "x-ms-blob-content-length: 1024"}, want: "OK"}
	a.put(t, "source", "source")
	copied := "x-ms-copy-source: " + a.url("source", "")
	a.tell(t, map[string]story{
		"put":         {"a put replaces the blob", twice("OK", put("one"))},
		"create":      {"the blob of the first request exists", twice("BlobAlreadyExists", put("one", "If-None-Match: *"))},
		"block":       {"a block replaces another with its ID", twice("OK", block)},
		"latest":      {"the blocks are committed by then", twice("OK", block, commit("Latest"))},
		"uncommitted": {"there are no uncommitted blocks left", twice("InvalidBlockList", block, commit("Uncommitted"))},
		"append":      {"an append without a condition is done twice", append(twice("OK", log, line()), head("Content-Length", "8"))},
		"position":    {"the position has changed", twice("AppendPositionConditionNotMet", log, line("x-ms-blob-condition-appendpos: 0"))},
		"maximum":     {"the size is reached", twice("MaxBlobSizeConditionNotMet", log, line("x-ms-blob-condition-maxsize: 4"))},
		"seal":        {"a sealed blob is sealed", twice("OK", log, set("seal", "OK"))},
		"copy":        {"a copy replaces the blob", twice("OK", step{method: "PUT", headers: []string{copied}, want: "OK"})},
		"copy once": {
			"the first copy exists",
			twice("BlobAlreadyExists", step{method: "PUT", headers: []string{copied, "If-None-Match: *"}, want: "OK"}),
		},
		"acquire": {"the client proposed the ID", twice("OK", put("one"), acquire)},
		"acquire any": {
			"the client does not know the ID",
			twice("LeaseAlreadyPresent", put("one"), lease("acquire", "x-ms-lease-duration: 15")),
		},
		"renew": {"a renewal can be repeated", twice("OK", put("one"), acquire, lease("renew", "x-ms-lease-id: "+id))},
		"change": {
			"the lease has the new ID",
			twice("OK", put("one"), acquire, lease("change", "x-ms-lease-id: "+id, "x-ms-proposed-lease-id: "+other)),
		},
		"release": {
			"the lease has no ID any more",
			twice("LeaseIdMismatchWithLeaseOperation", put("one"), acquire, lease("release", "x-ms-lease-id: "+id)),
		},
		"break":      {"a broken lease can be broken", twice("OK", put("one"), acquire, lease("break", "x-ms-lease-break-period: 0"))},
		"metadata":   {"it is replaced", twice("OK", put("one"), set("metadata", "OK", "x-ms-meta-a: b"))},
		"properties": {"they are replaced", twice("OK", put("one"), set("properties", "OK", "x-ms-blob-content-type: a/b"))},
		"tier":       {"it is set", twice("OK", put("one"), set("tier", "OK", "x-ms-access-tier: Archive"))},
		"snapshot":   {"each request makes one", twice("OK", put("one"), set("snapshot", "OK"))},
		"pages": {
			"a write replaces the pages",
			twice("OK", pages, set("page", "OK", "x-ms-page-write: clear", "x-ms-range: bytes=0-511")),
		},
		"page sequence": {
			"the sequence number is its own condition",
			twice("OK", pages, set("page", "OK", "x-ms-page-write: clear", "x-ms-range: bytes=0-511", "x-ms-if-sequence-number-eq: 0")),
		},
		"resize": {"the size is absolute", twice("OK", pages, set("properties", "OK", "x-ms-blob-content-length: 512"))},
		"increment": {
			"an increment is done twice",
			append(twice("OK", pages, set("properties", "OK", "x-ms-sequence-number-action: increment")),
				head("X-Ms-Blob-Sequence-Number", "2")),
		},
		"delete": {"the blob is deleted", twice("BlobNotFound", put("one"), step{method: "DELETE", want: "OK"})},
	})
}

func head(header, want string) step {
	return step{method: "HEAD", want: "OK", header: map[string]string{header: want}}
}

// TestRepeatedCondition: a write that replaces a known version is not repeated.
func TestRepeatedCondition(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	for what, s := range map[string]step{
		"put": put("two"), "metadata": set("metadata", "OK", "x-ms-meta-a: b"), "properties": set("properties", "OK"),
		"block list": {method: "PUT", query: "comp=blocklist", body: "<BlockList/>"},
		"copy":       {method: "PUT", headers: []string{"x-ms-copy-source: " + a.url("put", "")}},
	} {
		name := strings.ReplaceAll(what, " ", "-")
		etag := "If-Match: " + a.put(t, name, "one").header.Get("Etag")
		a.put(t, "put", "one")
		if name == "put" {
			etag = "If-Match: " + a.do(t, http.MethodHead, "put", "", "").header.Get("Etag")
		}
		headers := append([]string{etag}, s.headers...)
		first, second := a.do(t, s.method, name, s.query, s.body, headers...), a.do(t, s.method, name, s.query, s.body, headers...)
		if first.code() != "OK" || second.code() != "ConditionNotMet" {
			t.Errorf("%s: %s, then %s", what, first.code(), second.code())
		}
	}
}
