package protocol_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestHolds tries to delete and replace an object with a hold, by every operation of both APIs, and
// with and without versioning.
func TestHolds(t *testing.T) {
	f := serve(t, gcs.Options{})
	kept := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	account := f.account(t, "app", all("photos"), all("kept"))
	key, now := bearer(account), time.Now().UTC()
	for _, bucket := range []string{"photos", "kept"} {
		for member, kind := range map[string]string{"temporaryHold": "Temporary", "eventBasedHold": "Event-Based"} {
			generation := f.put(t, bucket, "x", "held", key)
			f.put(t, bucket, "y", "other", key)
			held := "/storage/v1/b/" + bucket + "/o/x"
			if status, _, body := f.do(t, request{method: "PATCH", path: held, body: `{"` + member + `":true}`}, key); status != ok {
				t.Fatalf("%s: %d %s", member, status, body)
			}
			for name, r := range map[string]request{
				"Insert":           {method: "POST", path: "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=x", body: "new"},
				"Delete":           {method: "DELETE", path: held},
				"DeleteGeneration": {method: "DELETE", path: held + "?generation=" + generation},
				"Copy":             {method: "POST", path: "/storage/v1/b/" + bucket + "/o/y/copyTo/b/" + bucket + "/o/x"},
				"Compose":          {method: "POST", path: held + "/compose", body: `{"sourceObjects":[{"name":"y"}]}`},
				"ComposeDeletes": {
					method: "POST", path: "/storage/v1/b/" + bucket + "/o/z/compose", body: `{"sourceObjects":[{"name":"x"}],"deleteSourceObjects":true}`,
				},
				"MoveFrom":  {method: "POST", path: held + "/moveTo/o/z"},
				"MoveTo":    {method: "POST", path: "/storage/v1/b/" + bucket + "/o/y/moveTo/o/x"},
				"XMLPut":    {method: "PUT", path: f.signedURL(account, "PUT", "/"+bucket+"/x", now, nil, nil), body: "new"},
				"XMLDelete": {method: "DELETE", path: f.signedURL(account, "DELETE", "/"+bucket+"/x", now, nil, nil)},
			} {
				authorization, code := key, "objectUnderActiveHold"
				if strings.HasPrefix(name, "XML") {
					authorization, code = "", "<Code>ObjectUnderActiveHold</Code>"
				}
				status, _, body := f.do(t, r, authorization)
				if status != http.StatusForbidden || !strings.Contains(string(body), code) || !strings.Contains(string(body), kind) {
					t.Errorf("%s of %s in %s: %d %s, want 403 %s", name, kind, bucket, status, body, code)
				}
			}
			if _, _, body := f.do(t, request{method: "GET", path: "/" + bucket + "/x"}, key); string(body) != "held" {
				t.Errorf("the held object is %s", body)
			}
			release := request{method: "PATCH", path: held, body: `{"` + member + `":false,"metadata":{"a":"1"}}`}
			if status, _, body := f.do(t, release, key); status != ok {
				t.Errorf("release: %d %s", status, body)
			}
			if status, _, body := f.do(t, request{method: "DELETE", path: held}, key); status != http.StatusNoContent {
				t.Errorf("delete a released object: %d %s", status, body)
			}
		}
	}
}

// TestMove moves objects under conditions.
func TestMove(t *testing.T) {
	f := serve(t, gcs.Options{})
	kept := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	key := bearer(f.account(t, "app", all("photos"), all("kept")))
	readOnly := fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.ReadOnly, ObjectMetadata: fakedriver.ReadOnly}
	reader := bearer(f.account(t, "reader", readOnly))
	for _, tc := range []struct {
		name, query, authorization string
		want                       int
		have                       string // names in the bucket
	}{
		{"New", "x/moveTo/o/z%2Fz", key, 200, "y z/z"},
		{"Replace", "x/moveTo/o/y", key, 200, "y"},
		{"OnlyNew", "x/moveTo/o/y?ifGenerationMatch=0", key, 412, "x y"},
		{"NotNew", "x/moveTo/o/z?ifGenerationNotMatch=0", key, 412, "x y"},
		{"Source", "x/moveTo/o/z?ifSourceGenerationMatch=1", key, 412, "x y"},
		{"SourceMetageneration", "x/moveTo/o/z?ifSourceMetagenerationMatch=1", key, 200, "y z"},
		{"Itself", "x/moveTo/o/x", key, 400, "x y"},
		{"Missing", "nothing/moveTo/o/z", key, 404, "x y"},
		{"ReadOnly", "x/moveTo/o/z", reader, 403, "x y"},
		{"BadName", "x/moveTo/o/..", key, 400, "x y"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f.put(t, "photos", "x", "moved", key)
			f.put(t, "photos", "y", "other", key)
			status, _, body := f.do(t, request{method: "POST", path: "/storage/v1/b/photos/o/" + tc.query}, tc.authorization)
			if status != tc.want {
				t.Errorf("%d %s, want %d", status, body, tc.want)
			}
			names, _ := f.names(t, "", 1000, key)
			if diff := cmp.Diff(strings.Fields(tc.have), names); diff != "" {
				t.Errorf("objects: -want, +got:\n%s", diff)
			}
			for _, name := range names {
				f.do(t, request{method: "DELETE", path: "/storage/v1/b/photos/o/" + strings.ReplaceAll(name, "/", "%2F")}, key)
			}
		})
	}
	first := f.put(t, "kept", "x", "first", key)
	f.put(t, "kept", "x", "second", key)
	patched := request{method: "PATCH", path: "/storage/v1/b/kept/o/x", body: `{"metadata":{"a":"1"}}`}
	f.do(t, patched, key)
	if status, _, body := f.do(t, request{method: "POST", path: "/storage/v1/b/kept/o/x/moveTo/o/y"}, key); status != ok ||
		!strings.Contains(string(body), `"a":"1"`) {
		t.Errorf("move with versions: %d %s", status, body)
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/kept/y"}, key); status != ok || string(body) != "second" {
		t.Errorf("the moved object: %d %s", status, body)
	}
	if status, _, _ := f.do(t, request{method: "GET", path: "/kept/x"}, key); status != http.StatusNotFound {
		t.Errorf("the old name: %d", status)
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/download/storage/v1/b/kept/o/x?generation=" + first}, key); status != ok ||
		string(body) != "first" {
		t.Errorf("the first version: %d %s", status, body)
	}
}

// TestCopyConditions copies under conditions on the source, and composes with the deletion of the
// sources.
func TestCopyConditions(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	generation := f.put(t, "photos", "x", "x", key)
	for _, kind := range []string{"copyTo", "rewriteTo"} {
		for query, want := range map[string]int{
			"ifSourceGenerationMatch=" + generation: 200, "ifSourceGenerationMatch=1": 412, "ifSourceGenerationNotMatch=" + generation: 412,
			"ifSourceGenerationNotMatch=1": 200, "ifSourceMetagenerationMatch=1": 200, "ifSourceMetagenerationMatch=2": 412,
			"ifSourceMetagenerationNotMatch=1": 412, "ifSourceGenerationMatch=x": 400,
		} {
			path := objectX + "/" + kind + "/b/photos/o/y?" + query
			if status, _, body := f.do(t, request{method: "POST", path: path}, key); status != want {
				t.Errorf("%s with %s: %d %s, want %d", kind, query, status, body, want)
			}
		}
	}
	for query, want := range map[string]int{
		"maxBytesRewrittenPerCall=1048576": 200, "maxBytesRewrittenPerCall=1": 400, "maxBytesRewrittenPerCall=0": 400, "rewriteToken=t": 400,
	} {
		if status, _, body := f.do(t, request{method: "POST", path: objectX + "/rewriteTo/b/photos/o/y?" + query}, key); status != want {
			t.Errorf("%s: %d %s, want %d", query, status, body, want)
		}
	}
	compose := request{
		method: "POST", path: objectX + "/compose", body: `{"sourceObjects":[{"name":"x"},{"name":"y"}],"deleteSourceObjects":true}`,
	}
	if status, _, body := f.do(t, compose, key); status != ok {
		t.Errorf("compose: %d %s", status, body)
	}
	if names, _ := f.names(t, "", 1000, key); !cmp.Equal(names, []string{"x"}) {
		t.Errorf("after the deletion of the sources: %q", names)
	}
	if _, _, body := f.do(t, request{method: "GET", path: "/photos/x"}, key); string(body) != "xx" {
		t.Errorf("the composed object is %s", body)
	}
}
