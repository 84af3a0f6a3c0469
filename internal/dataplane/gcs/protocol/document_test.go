package protocol_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

const objectX = "/storage/v1/b/photos/o/x"

// related is an upload of two parts: a document, and a content with a type, unless that is empty.
func related(document, contentType string) request {
	content := "--b\r\n"
	if contentType != "" {
		content += "Content-Type: " + contentType + "\r\n"
	}
	return request{
		method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=multipart&name=x",
		header: http.Header{"Content-Type": {"multipart/related; boundary=b"}},
		body:   "--b\r\nContent-Type: application/json\r\n\r\n" + document + "\r\n" + content + "\r\nx\r\n--b--",
	}
}

// bodies returns requests of all operations that receive an object resource.
func bodies(document string) map[string]request {
	compose := `{"sourceObjects":[{"name":"x"}],"destination":` + document + `}`
	return map[string]request{
		"Insert":  related(document, ""),
		"Begin":   {method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x", body: document},
		"Patch":   {method: "PATCH", path: objectX, body: document},
		"Update":  {method: "PUT", path: objectX, body: document},
		"Copy":    {method: "POST", path: objectX + "/copyTo/b/photos/o/y", body: document},
		"Rewrite": {method: "POST", path: objectX + "/rewriteTo/b/photos/o/y", body: document},
		"Compose": {method: "POST", path: "/storage/v1/b/photos/o/y/compose", body: compose},
	}
}

// TestMembers sends each member of an object resource, and unknown ones, to every operation. Each is
// served, ignored as by Google, or rejected by its name.
//
//nolint:lll // one case a line
func TestMembers(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	for _, tc := range []struct {
		name, reason, document, rejected string
	}{
		{"Served", "Users may set these.", `{"contentType":"t/x","contentEncoding":"e","contentDisposition":"d","contentLanguage":"de","cacheControl":"c",` +
			`"storageClass":"NEARLINE","customTime":"2026-01-02T03:04:05Z","metadata":{"a":"1"},"contexts":{"custom":{"k":{"value":"v"}}}}`, ""},
		{"ReadOnly", "Clients send whole resources back.", `{"kind":"storage#object","id":"x","selfLink":"x","mediaLink":"x","bucket":"photos",` +
			`"generation":"1","metageneration":"1","size":"1","componentCount":1,"etag":"x","owner":{"entity":"x"},"timeCreated":"x","updated":"x",` +
			`"timeDeleted":"x","timeFinalized":"x","timeStorageClassUpdated":"x","softDeleteTime":"x","hardDeleteTime":"x","restoreToken":"x",` +
			`"retentionExpirationTime":"x"}`, ""},
		{"Empty", "They request nothing.", `{"acl":[],"retention":null,"kmsKeyName":"","temporaryHold":false,"eventBasedHold":null,"unknown":null}`, ""},
		{"ACL", "Access is the driver's.", `{"acl":[{"entity":"allUsers"}]}`, "acl"},
		{"Retention", "The bucket does not allow it.", `{"retention":{"mode":"Unlocked"}}`, "retention"},
		{"KMS", "Nothing is encrypted.", `{"kmsKeyName":"k"}`, "kmsKeyName"},
		{"Customer", "Nothing is encrypted.", `{"customerEncryption":{"keySha256":"k"}}`, "customerEncryption"},
		{"Unknown", "It would be ignored.", `{"contenttype":"t/x"}`, "contenttype"},
		{"OtherContexts", "It would be ignored.", `{"contexts":{"system":{}}}`, "contexts.system"},
		{"ContextMember", "It would be ignored.", `{"contexts":{"custom":{"k":{"value":"v","extendedDataTypeUrl":"u"}}}}`, "extendedDataTypeUrl"},
	} {
		for name, r := range bodies(tc.document) {
			t.Run(tc.name+name, func(t *testing.T) {
				f.put(t, "photos", "x", "x", key)
				status, _, body := f.do(t, r, key)
				if tc.rejected == "" {
					if status != ok {
						t.Errorf("%s: %d %s", tc.reason, status, body)
					}
					return
				}
				if status != 400 || reasonOf(t, status, body) != "notImplemented" || !strings.Contains(string(body), tc.rejected) {
					t.Errorf("%s: %d %s, want notImplemented with the name %s", tc.reason, status, body, tc.rejected)
				}
			})
		}
	}
	compose := request{method: "POST", path: "/storage/v1/b/photos/o/y/compose", body: `{"sourceObjects":[{"name":"x","unknown":1}]}`}
	if status, _, body := f.do(t, compose, key); status != 400 || !strings.Contains(string(body), "unknown") {
		t.Errorf("an unknown member of a request to compose: %d %s", status, body)
	}
}

// TestInvalidMembers sends values that Google rejects.
func TestInvalidMembers(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":{"value":"v"}`, i)
	}
	contexts := func(members string) string { return `{"contexts":{"custom":{` + members + `}}}` }
	for name, document := range map[string]string{
		"Text": `{"contentType":1}`, "Time": `{"customTime":"now"}`, "Hold": `{"temporaryHold":"yes"}`, "Metadata": `{"metadata":{"a":1}}`,
		"Class": `{"storageClass":"STANDARD_IA"}`, "MetadataSize": `{"metadata":{"a":"` + strings.Repeat("x", 8<<10) + `"}}`,
		"Contexts": `{"contexts":{"custom":{"k":"v"}}}`, "ContextCount": contexts(strings.Join(many, ",")),
		"ContextKey": contexts(`"-k":{"value":"v"}`), "ContextKeySize": contexts(`"` + strings.Repeat("k", 257) + `":{"value":"v"}`),
		"ContextValue": contexts(`"k":{"value":"a/b"}`), "ContextValueSize": contexts(`"k":{"value":"` + strings.Repeat("v", 257) + `"}`),
		"List": `[]`,
	} {
		for operation, r := range bodies(document) {
			t.Run(name+operation, func(t *testing.T) {
				f.put(t, "photos", "x", "x", key)
				if status, _, body := f.do(t, r, key); status != 400 || reasonOf(t, status, body) != "invalid" {
					t.Errorf("%d %s, want invalid", status, body)
				}
			})
		}
	}
	largest := `{"metadata":{"a":"` + strings.Repeat("x", 8<<10-1) + `"}}`
	if status, _, body := f.do(t, request{method: "PATCH", path: objectX, body: largest}, key); status != ok {
		t.Errorf("8 KiB of metadata: %d %s", status, body)
	}
}

// TestContentTypes uploads contents with two types, with one, and without.
func TestContentTypes(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	media := request{method: "POST", path: upload + "&name=x", body: "x"}
	resumable := func(document, contentType string) request {
		header := http.Header{}
		if contentType != "" {
			header.Set("X-Upload-Content-Type", contentType)
		}
		return request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=x", body: document, header: header}
	}
	for _, tc := range []struct {
		name string
		request
		want         int
		stored, sent string
	}{
		{"None", media, 200, "", "application/octet-stream"},
		{"Media", request{method: "POST", path: media.path, header: http.Header{"Content-Type": {"t/m"}}}, 200, "t/m", "t/m"},
		{"RelatedNone", related(`{}`, ""), 200, "", "application/octet-stream"},
		{"RelatedDocument", related(`{"contentType":"t/d"}`, ""), 200, "t/d", "t/d"},
		{"RelatedContent", related(`{}`, "t/c"), 200, "t/c", "t/c"},
		{"RelatedSame", related(`{"contentType":"t/c"}`, "t/c"), 200, "t/c", "t/c"},
		{"RelatedOther", related(`{"contentType":"t/d"}`, "t/c"), 400, "", ""},
		{"ResumableNone", resumable(`{}`, ""), 200, "", "application/octet-stream"},
		{"ResumableHeader", resumable(`{}`, "t/h"), 200, "t/h", "t/h"},
		{"ResumableSame", resumable(`{"contentType":"t/h"}`, "t/h"), 200, "t/h", "t/h"},
		{"ResumableDocument", resumable(`{"contentType":"t/d"}`, ""), 200, "t/d", "t/d"},
		{"ResumableOther", resumable(`{"contentType":"t/d"}`, "t/h"), 400, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, header, body := f.do(t, tc.request, key)
			if location := header.Get("Location"); location != "" {
				last := chunk(strings.TrimPrefix(location, f.address), "x", "0-0/1")
				last.header.Set("Content-Type", "application/x-www-form-urlencoded") // of the request, not of the object
				status, _, body = f.do(t, last, key)
			}
			if status != tc.want {
				t.Fatalf("%d %s, want %d", status, body, tc.want)
			}
			if status != ok {
				if !strings.Contains(string(body), "does not match Content-Type specified in metadata (t/d)") {
					t.Errorf("the error is %s", body)
				}
				return
			}
			var made struct {
				ContentType string `json:"contentType"`
			}
			if err := json.Unmarshal(body, &made); err != nil || made.ContentType != tc.stored {
				t.Errorf("the stored type is %q, want %q", made.ContentType, tc.stored)
			}
			if _, header, _ := f.do(t, request{method: "GET", path: "/photos/x"}, key); header.Get("Content-Type") != tc.sent {
				t.Errorf("the type of the content is %q, want %q", header.Get("Content-Type"), tc.sent)
			}
		})
	}
}

// TestCustomTime moves the custom time, which can neither go back nor be removed.
//
//nolint:lll // one case a line
func TestCustomTime(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	if status, _, body := f.do(t, related(`{"customTime":"2026-01-02T03:04:05Z"}`, ""), key); status != ok {
		t.Fatalf("insert: %d %s", status, body)
	}
	for _, tc := range []struct {
		name string
		request
		want int
		have string
	}{
		{"Same", request{method: "PATCH", path: objectX, body: `{"customTime":"2026-01-02T03:04:05Z"}`}, 200, "2026-01-02T03:04:05Z"},
		{"Later", request{method: "PATCH", path: objectX, body: `{"customTime":"2026-01-02T03:04:06Z"}`}, 200, "2026-01-02T03:04:06Z"},
		{"Earlier", request{method: "PATCH", path: objectX, body: `{"customTime":"2026-01-02T03:04:05Z"}`}, 400, "2026-01-02T03:04:06Z"},
		{"Removed", request{method: "PATCH", path: objectX, body: `{"customTime":null}`}, 400, "2026-01-02T03:04:06Z"},
		{"UpdateEarlier", request{method: "PUT", path: objectX, body: `{"customTime":"2026-01-02T03:04:05Z"}`}, 400, "2026-01-02T03:04:06Z"},
		{"UpdateWithout", request{method: "PUT", path: objectX, body: `{}`}, 200, "2026-01-02T03:04:06Z"},
		{"Rewrite", request{method: "POST", path: objectX + "/copyTo/b/photos/o/x", body: `{"customTime":"2025-01-02T03:04:05Z"}`}, 200, "2025-01-02T03:04:05Z"},
	} {
		if status, _, body := f.do(t, tc.request, key); status != tc.want {
			t.Errorf("%s: %d %s, want %d", tc.name, status, body, tc.want)
		}
		_, _, body := f.do(t, request{method: "GET", path: objectX}, key)
		var got struct {
			CustomTime string `json:"customTime"`
		}
		if err := json.Unmarshal(body, &got); err != nil || got.CustomTime != tc.have {
			t.Errorf("%s: the custom time is %s, want %s", tc.name, got.CustomTime, tc.have)
		}
	}
}

// TestContexts changes object contexts, and finds objects by them.
func TestContexts(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	contexts := func(members string) string { return `{"contexts":{"custom":{` + members + `}}}` }
	for _, step := range []struct {
		name string
		request
		object string
		want   string // keys and values
	}{
		{"Insert", related(contexts(`"a":{"value":"1"},"b":{"value":"2"}`), ""), "x", "a=1 b=2"},
		{"Change", request{method: "PATCH", path: objectX, body: contexts(`"a":{"value":"3"},"c":{"value":"é"}`)}, "x", "a=3 b=2 c=é"},
		{"Delete", request{method: "PATCH", path: objectX, body: contexts(`"a":null,"b":{}`)}, "x", "c=é"},
		{"Nothing", request{method: "PATCH", path: objectX, body: `{"contexts":{}}`}, "x", "c=é"},
		{"Copy", request{method: "POST", path: objectX + "/copyTo/b/photos/o/y"}, "y", "c=é"},
		{"CopyOthers", request{method: "POST", path: objectX + "/copyTo/b/photos/o/y", body: contexts(`"d":{"value":"4"}`)}, "y", "d=4"},
		{"Compose", request{
			method: "POST", path: "/storage/v1/b/photos/o/z/compose", body: `{"sourceObjects":[{"name":"x"},{"name":"y"}]}`,
		}, "z", "c=é d=4"},
		{"DeleteAll", request{method: "PATCH", path: objectX, body: `{"contexts":{"custom":null}}`}, "x", ""},
		{"Update", request{method: "PUT", path: "/storage/v1/b/photos/o/y", body: `{}`}, "y", ""},
		{"Null", request{method: "PATCH", path: "/storage/v1/b/photos/o/y", body: `{"contexts":null}`}, "y", ""},
	} {
		if status, _, body := f.do(t, step.request, key); status != ok {
			t.Fatalf("%s: %d %s", step.name, status, body)
		}
		_, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o/" + step.object}, key)
		var got struct {
			Contexts struct {
				Custom map[string]struct {
					Value      string `json:"value"`
					CreateTime string `json:"createTime"`
					UpdateTime string `json:"updateTime"`
				} `json:"custom"`
			} `json:"contexts"`
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		texts := []string{}
		for _, key := range []string{"a", "b", "c", "d"} {
			if context, ok := got.Contexts.Custom[key]; ok {
				texts = append(texts, key+"="+context.Value)
				if context.CreateTime == "" || context.UpdateTime < context.CreateTime {
					t.Errorf("%s: %s has the times %s and %s", step.name, key, context.CreateTime, context.UpdateTime)
				}
			}
		}
		if diff := cmp.Diff(step.want, strings.Join(texts, " ")); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.name, diff)
		}
	}
}
