package azure_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestSeveralConditions: for a read, one of two conditions on the client's copy is enough; for a
// write, an ETag replaces a time.
func TestSeveralConditions(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	etag := a.put(t, "a", "one").header.Get("Etag")
	future, past := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	const other = `"0x1"`
	tests := map[string]struct {
		match, noneMatch, modified, unmodified string
		read, write                            string
	}{
		"SameAndNewer":      {noneMatch: etag, modified: past, read: "OK", write: "ConditionNotMet"},
		"OtherAndOlder":     {noneMatch: other, modified: future, read: "OK", write: "OK"},
		"SameAndOlder":      {noneMatch: etag, modified: future, read: "ConditionNotMet", write: "ConditionNotMet"},
		"MatchAndModified":  {match: etag, unmodified: past, read: "ConditionNotMet", write: "OK"},
		"OtherUnmodified":   {match: other, unmodified: future, read: "ConditionNotMet", write: "ConditionNotMet"},
		"MatchAndNoneMatch": {match: etag, noneMatch: other, read: "OK", write: "MultipleConditionHeadersNotSupported"},
		"MatchAndNewer":     {match: etag, modified: past, read: "OK", write: "MultipleConditionHeadersNotSupported"},
		"Times":             {modified: past, unmodified: future, read: "OK", write: "MultipleConditionHeadersNotSupported"},
	}
	for name, tc := range tests {
		var headers []string
		for header, value := range map[string]string{
			"If-Match": tc.match, "If-None-Match": tc.noneMatch, "If-Modified-Since": tc.modified, "If-Unmodified-Since": tc.unmodified,
		} {
			if value != "" {
				headers = append(headers, header+": "+value)
			}
		}
		if got := a.do(t, http.MethodGet, "a", "", "", headers...); got.code() != tc.read {
			t.Errorf("%s: reading: %d %s, want %s", name, got.status, got.code(), tc.read)
		}
		if got := a.do(t, http.MethodPut, "a", "comp=lease", "", append(headers, "x-ms-lease-action: acquire",
			"x-ms-lease-duration: -1", "x-ms-proposed-lease-id: 11111111-1111-1111-1111-111111111111")...); got.code() != tc.write {
			t.Errorf("%s: writing: %d %s, want %s", name, got.status, got.code(), tc.write)
		}
	}
}

// TestTagConditions: a condition on tags is compared with the tags of the blob.
func TestTagConditions(t *testing.T) {
	f := serve(t, azure.Options{})
	a := f.access(t)
	a.put(t, "a", "one", "x-ms-tags: colour=red&size=20")
	for condition, want := range map[string]string{
		`"colour" = 'red'`:                                  "OK",
		`colour='red'`:                                      "OK",
		`"colour" = 'blue'`:                                 "ConditionNotMet",
		`"colour" <> 'blue'`:                                "OK",
		`"colour" <> 'red'`:                                 "ConditionNotMet",
		`"none" <> 'red'`:                                   "ConditionNotMet",
		`"size" > '1' AND "size" < '3'`:                     "OK",
		`"size" >= '20' and "size" <= '20'`:                 "OK",
		`"size" > '20'`:                                     "ConditionNotMet",
		`"size" < '20'`:                                     "ConditionNotMet",
		`"colour" = 'red' AND "size" = '30'`:                "ConditionNotMet",
		`"size" = '30' OR "colour" = 'red'`:                 "OK",
		`"size" = '20' OR "size" = '30' AND "colour" = 'x'`: "OK",
		`"colour" = 'it''s'`:                                "InvalidHeaderValue",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if got := a.do(t, method, "a", "", "", "x-ms-if-tags: "+condition); got.code() != want {
				t.Errorf("%s with %s: %s, want %s", method, condition, got.code(), want)
			}
		}
		got := a.do(t, http.MethodPut, "a", "comp=metadata", "", "x-ms-if-tags: "+condition, "x-ms-meta-a: b")
		if got.code() != want {
			t.Errorf("writing with %s: %s, want %s", condition, got.code(), want)
		}
	}
	if got := a.do(t, http.MethodDelete, "a", "", "", `x-ms-if-tags: "colour" = 'blue'`); got.code() != "ConditionNotMet" {
		t.Errorf("deleting: %s", got.code())
	}
	// A client without permission for tags learns nothing about them.
	writer := f.account(t, "ba-writer", fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.WriteOnly})
	reader := f.account(t, "ba-reader", everything("photos"))
	for what, blind := range map[string]access{
		"the permission": f.signed("photos", reader, "racwdl"), "the grant": f.signed("photos", writer, all),
	} {
		got := blind.do(t, http.MethodPut, "a", "", "two", "x-ms-blob-type: BlockBlob", `x-ms-if-tags: "colour" = 'red'`)
		if got.code() != "AuthorizationPermissionMismatch" {
			t.Errorf("without %s to read tags: %s", what, got.code())
		}
	}
}

// TestConditions: conditions are compared with the blob at the time of the read or change.
func TestConditions(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	etag := a.put(t, "a", "one").header.Get("Etag")
	future, past := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	tests := map[string]struct{ method, blob, header, want string }{
		"ReadMatch":        {http.MethodGet, "a", "If-Match: " + etag, "OK"},
		"ReadOther":        {http.MethodGet, "a", `If-Match: "0x1"`, "ConditionNotMet"},
		"ReadSame":         {http.MethodGet, "a", "If-None-Match: " + etag, "ConditionNotMet"},
		"ReadNewer":        {http.MethodGet, "a", "If-Modified-Since: " + past, "OK"},
		"ReadOld":          {http.MethodGet, "a", "If-Modified-Since: " + future, "ConditionNotMet"},
		"ReadUnmodified":   {http.MethodGet, "a", "If-Unmodified-Since: " + past, "ConditionNotMet"},
		"Create":           {http.MethodPut, "a", "If-None-Match: *", "BlobAlreadyExists"},
		"CreateNew":        {http.MethodPut, "new", "If-None-Match: *", "OK"},
		"WriteOther":       {http.MethodPut, "a", `If-Match: "0x1"`, "ConditionNotMet"},
		"WriteMissing":     {http.MethodPut, "none", "If-Match: *", "ConditionNotMet"},
		"DeleteOther":      {http.MethodDelete, "a", `If-Match: "0x1"`, "ConditionNotMet"},
		"DeleteUnmodified": {http.MethodDelete, "a", "If-Unmodified-Since: " + past, "ConditionNotMet"},
		"NoTime":           {http.MethodGet, "a", "If-Modified-Since: yesterday", "InvalidHeaderValue"},
	}
	for name, tc := range tests {
		headers := []string{tc.header}
		if tc.method == http.MethodPut {
			headers = append(headers, "x-ms-blob-type: BlockBlob")
		}
		if got := a.do(t, tc.method, tc.blob, "", "", headers...); got.code() != tc.want {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.code(), tc.want)
		}
	}
	if got := a.do(t, http.MethodGet, "a", "", "", "If-None-Match: "+etag); got.status != http.StatusNotModified || got.body != "" {
		t.Errorf("a blob that has not changed: %d %q, want 304", got.status, got.body)
	}
}
