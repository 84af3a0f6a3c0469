package protocol_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

func itemsOf[T any](t *testing.T, list []byte) []T {
	t.Helper()
	var document struct {
		Items         []T    `json:"items"`
		NextPageToken string `json:"nextPageToken"`
	}
	if err := json.Unmarshal(list, &document); err != nil {
		t.Fatalf("the list %s: %v", list, err)
	}
	return document.Items
}

type version struct {
	Name        string    `json:"name"`
	Generation  string    `json:"generation"`
	Size        string    `json:"size"`
	TimeDeleted time.Time `json:"timeDeleted"`
}

// put uploads an object, and returns its generation.
func (f *fixture) put(t *testing.T, bucket, name, content, key string) string {
	t.Helper()
	status, _, body := f.do(t, request{
		method: "POST", path: "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name, body: content,
	}, key)
	var made version
	if err := json.Unmarshal(body, &made); err != nil || status != ok {
		t.Fatalf("upload %s: %d %s %v", name, status, body, err)
	}
	return made.Generation
}

// listed returns the versions of a bucket in pages of two: name, size, and whether the version is
// live.
func (f *fixture) listed(t *testing.T, bucket, query, key string) []string {
	t.Helper()
	var all []string
	for token := "-"; token != ""; {
		if token == "-" {
			token = ""
		}
		path := "/storage/v1/b/" + bucket + "/o?maxResults=2&pageToken=" + token + query
		_, _, body := f.do(t, request{method: "GET", path: path}, key)
		for _, v := range itemsOf[version](t, body) {
			all = append(all, fmt.Sprint(v.Name, " ", v.Size, " ", v.TimeDeleted.IsZero()))
		}
		var page struct {
			NextPageToken string `json:"nextPageToken"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		token = page.NextPageToken
	}
	return all
}

// TestVersions is a bucket with versioning by its class.
//
//nolint:lll // one step a line
func TestVersions(t *testing.T) {
	f := serve(t, gcs.Options{})
	spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	key := bearer(f.account(t, "app", all("kept")))
	object := func(name, generation string) string {
		return "/storage/v1/b/kept/o/" + name + "?generation=" + generation
	}
	first := f.put(t, "kept", "x", "1", key)
	f.put(t, "kept", "x", "12", key)
	third := f.put(t, "kept", "x", "123", key)
	f.put(t, "kept", "y", "y", key)
	for _, step := range []struct {
		name string
		request
		status int
		want   []string
	}{
		{"Nothing", request{method: "GET", path: object("x", first)}, ok, []string{"x 1 false", "x 2 false", "x 3 true", "y 1 true"}},
		{"Delete", request{method: "DELETE", path: object("x", "")}, 204, []string{"x 1 false", "x 2 false", "x 3 false", "y 1 true"}},
		{"DeleteAgain", request{method: "DELETE", path: object("x", "")}, 404, []string{"x 1 false", "x 2 false", "x 3 false", "y 1 true"}},
		{"DeleteVersion", request{method: "DELETE", path: object("x", third)}, 204, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{"NotLive", request{method: "GET", path: object("x", "")}, 404, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{"Gone", request{method: "GET", path: object("x", third)}, 404, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{"Read", request{method: "GET", path: "/kept/x?generation=" + first}, ok, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{"Patch", request{method: "PATCH", path: object("x", first), body: `{"metadata":{"a":"1"}}`}, ok, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{"Condition", request{method: "DELETE", path: object("x", first) + "&ifMetagenerationMatch=1"}, 412, []string{"x 1 false", "x 2 false", "y 1 true"}},
		{
			"Restore",
			request{method: "POST", path: "/storage/v1/b/kept/o/x/rewriteTo/b/kept/o/x?ifGenerationMatch=0&sourceGeneration=" + first},
			ok,
			[]string{"x 1 false", "x 2 false", "x 1 true", "y 1 true"},
		},
	} {
		t.Run(step.name, func(t *testing.T) {
			if status, _, body := f.do(t, step.request, key); status != step.status {
				t.Errorf("%s %s: %d %s, want %d", step.method, step.path, status, body, step.status)
			}
			if diff := cmp.Diff(step.want, f.listed(t, "kept", "&versions=true", key)); diff != "" {
				t.Errorf("versions: -want, +got:\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"x 1 true", "y 1 true"}, f.listed(t, "kept", "&versions=false", key)); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

// TestVersionsEnd deletes all versions one by one: then the empty bucket can be deleted.
func TestVersionsEnd(t *testing.T) {
	for _, tc := range []struct {
		name  string
		order []int
	}{{"OldestFirst", []int{0, 1, 2}}, {"NewestFirst", []int{2, 1, 0}}, {"MiddleFirst", []int{1, 2, 0}}} {
		t.Run(tc.name, func(t *testing.T) {
			f := serve(t, gcs.Options{})
			spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
			if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			key := bearer(f.account(t, "app", all("kept")))
			var generations []string
			for range 3 {
				generations = append(generations, f.put(t, "kept", "x", "x", key))
			}
			for _, i := range tc.order {
				if err := f.store.DeleteBucket(t.Context(), owner, "kept"); err == nil {
					t.Fatal("a bucket with versions has been deleted")
				}
				path := "/storage/v1/b/kept/o/x?generation=" + generations[i]
				if status, _, body := f.do(t, request{method: "DELETE", path: path}, key); status != http.StatusNoContent {
					t.Errorf("delete: %d %s", status, body)
				}
			}
			if err := f.store.DeleteBucket(t.Context(), owner, "kept"); err != nil {
				t.Errorf("a bucket without versions: %v", err)
			}
		})
	}
}

// TestTimeDeleted expects the time at which a version was replaced, even after its successor was
// deleted.
func TestTimeDeleted(t *testing.T) {
	f := serve(t, gcs.Options{})
	spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	key := bearer(f.account(t, "app", all("kept")))
	first := f.put(t, "kept", "x", "1", key)
	second := f.put(t, "kept", "x", "2", key)
	get := func() time.Time {
		_, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/kept/o/x?generation=" + first}, key)
		var v version
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v.TimeDeleted
	}
	before := get()
	f.put(t, "kept", "x", "3", key)
	f.do(t, request{method: "DELETE", path: "/storage/v1/b/kept/o/x?generation=" + second}, key)
	if after := get(); before.IsZero() || !after.Equal(before) {
		t.Errorf("the version was replaced at %v, and then at %v", before, after)
	}
}
