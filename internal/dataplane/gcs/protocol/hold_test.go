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

// kept creates a bucket with versioning.
func (f *fixture) kept(t *testing.T) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

// succeed sends a request, and returns the body of the response.
func (f *fixture) succeed(t *testing.T, r request, key string) string {
	t.Helper()
	status, _, body := f.do(t, r, key)
	if status != ok && status != http.StatusNoContent {
		t.Errorf("%s %s: %d %s", r.method, r.path, status, body)
	}
	return string(body)
}

// TestHolds tries to delete and replace an object with a hold, by every operation of both APIs, and
// with and without versioning.
func TestHolds(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.kept(t)
	account := f.account(t, "app", all("photos"), all("kept"))
	key := bearer(account)
	for _, bucket := range []string{"photos", "kept"} {
		for member, kind := range map[string]string{"temporaryHold": "Temporary", "eventBasedHold": "Event-Based"} {
			generation := f.put(t, bucket, "x", "held", key)
			f.put(t, bucket, "y", "other", key)
			held := "/storage/v1/b/" + bucket + "/o/x"
			f.succeed(t, request{method: "PATCH", path: held, body: `{"` + member + `":true}`}, key)
			for name, r := range f.replacements(account, bucket, generation) {
				authorization, code := key, "objectUnderActiveHold"
				if strings.HasPrefix(name, "XML") {
					authorization, code = "", "<Code>ObjectUnderActiveHold</Code>"
				}
				status, _, body := f.do(t, r, authorization)
				if status != http.StatusForbidden || !strings.Contains(string(body), code) || !strings.Contains(string(body), kind) {
					t.Errorf("%s of %s in %s: %d %s, want 403 %s", name, kind, bucket, status, body, code)
				}
			}
			if content := f.succeed(t, request{method: "GET", path: "/" + bucket + "/x"}, key); content != "held" {
				t.Errorf("the held object is %s", content)
			}
			f.succeed(t, request{method: "PATCH", path: held, body: `{"` + member + `":false,"metadata":{"a":"1"}}`}, key)
			f.succeed(t, request{method: "DELETE", path: held}, key)
		}
	}
}

// replacements are requests that delete or replace the object x of a bucket.
func (f *fixture) replacements(account fakedriver.Credentials, bucket, generation string) map[string]request {
	path, now := "/storage/v1/b/"+bucket+"/o/", time.Now().UTC()
	deletes := `{"sourceObjects":[{"name":"x"}],"deleteSourceObjects":true}`
	return map[string]request{
		"Insert":           {method: "POST", path: "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=x", body: "new"},
		"Delete":           {method: "DELETE", path: path + "x"},
		"DeleteGeneration": {method: "DELETE", path: path + "x?generation=" + generation},
		"Copy":             {method: "POST", path: path + "y/copyTo/b/" + bucket + "/o/x"},
		"Compose":          {method: "POST", path: path + "x/compose", body: `{"sourceObjects":[{"name":"y"}]}`},
		"ComposeDeletes":   {method: "POST", path: path + "z/compose", body: deletes},
		"MoveFrom":         {method: "POST", path: path + "x/moveTo/o/z"},
		"MoveTo":           {method: "POST", path: path + "y/moveTo/o/x"},
		"XMLPut":           {method: "PUT", path: f.signedURL(account, "PUT", "/"+bucket+"/x", now, nil, nil), body: "new"},
		"XMLDelete":        {method: "DELETE", path: f.signedURL(account, "DELETE", "/"+bucket+"/x", now, nil, nil)},
	}
}

// TestMove moves objects under conditions.
func TestMove(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
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
}

// TestMoveVersions moves an object in a bucket with versioning, which keeps the old versions.
func TestMoveVersions(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.kept(t)
	key := bearer(f.account(t, "app", all("kept")))
	first := f.put(t, "kept", "x", "first", key)
	f.put(t, "kept", "x", "second", key)
	const path = "/storage/v1/b/kept/o/x"
	f.succeed(t, request{method: "PATCH", path: path, body: `{"metadata":{"a":"1"}}`}, key)
	if moved := f.succeed(t, request{method: "POST", path: path + "/moveTo/o/y"}, key); !strings.Contains(moved, `"a":"1"`) {
		t.Errorf("the moved object is %s", moved)
	}
	if content := f.succeed(t, request{method: "GET", path: "/kept/y"}, key); content != "second" {
		t.Errorf("the moved object contains %s", content)
	}
	if status, _, _ := f.do(t, request{method: "GET", path: "/kept/x"}, key); status != http.StatusNotFound {
		t.Errorf("the old name: %d", status)
	}
	if content := f.succeed(t, request{method: "GET", path: "/download" + path + "?generation=" + first}, key); content != "first" {
		t.Errorf("the first version contains %s", content)
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
