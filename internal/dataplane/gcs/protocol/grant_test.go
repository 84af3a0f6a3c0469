package protocol_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

const (
	forbidden = http.StatusForbidden
	ok        = http.StatusOK
)

// routes are all allowed routes with their needs: letters for reading and writing object data (d,
// D), object metadata (m, M) and bucket metadata (b, B). Any letter of a word is enough; all words
// are needed.
var routes = []struct {
	request

	needs []string
}{
	{request{method: "GET", path: "/photos/x"}, []string{"d"}},
	{request{method: "HEAD", path: "/photos/x"}, []string{"dm"}},
	{request{method: "GET", path: "/download/storage/v1/b/photos/o/x?alt=media"}, []string{"d"}},
	{request{method: "GET", path: "/storage/v1/b/photos/o/x?alt=media"}, []string{"d"}},
	{request{method: "GET", path: "/storage/v1/b/photos/o/x"}, []string{"dm"}},
	{request{method: "GET", path: "/storage/v1/b/photos/o"}, []string{"d"}},
	{request{method: "GET", path: "/storage/v1/b/photos"}, []string{"bd"}},
	{request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=media&name=new", body: "new"}, []string{"D"}},
	{request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=resumable&name=new"}, []string{"D"}},
	{request{method: "PATCH", path: "/storage/v1/b/photos/o/x", body: `{"metadata":{"a":"b"}}`}, []string{"M"}},
	{request{method: "PUT", path: "/storage/v1/b/photos/o/x", body: `{}`}, []string{"M"}},
	{request{method: "POST", path: "/storage/v1/b/photos/o/x/rewriteTo/b/photos/o/y"}, []string{"d", "D"}},
	{request{method: "POST", path: "/storage/v1/b/photos/o/x/copyTo/b/photos/o/y"}, []string{"d", "D"}},
	{request{method: "POST", path: "/storage/v1/b/photos/o/y/compose", body: `{"sourceObjects":[{"name":"x"}]}`}, []string{"d", "D"}},
	{request{method: "DELETE", path: "/storage/v1/b/photos/o/y"}, []string{"D"}},
	// For the driver only.
	{request{method: "GET", path: "/storage/v1/b"}, []string{""}},
	{request{method: "POST", path: "/storage/v1/b", body: `{"name":"mine"}`}, []string{""}},
	{request{method: "PATCH", path: "/storage/v1/b/photos", body: `{}`}, []string{""}},
	{request{method: "PUT", path: "/storage/v1/b/photos", body: `{}`}, []string{""}},
	{request{method: "DELETE", path: "/storage/v1/b/photos"}, []string{""}},
}

// letters are the permissions of a grant.
func letters(g fakedriver.Grant) string {
	all := ""
	for i, mode := range []fakedriver.AccessMode{g.ObjectData, g.ObjectMetadata, g.BucketMetadata} {
		if mode == fakedriver.ReadOnly || mode == fakedriver.ReadWrite {
			all += string("dmb"[i])
		}
		if mode == fakedriver.WriteOnly || mode == fakedriver.ReadWrite {
			all += string("DMB"[i])
		}
	}
	return all
}

func covered(needs []string, have string) bool {
	for _, need := range needs {
		met := false
		for _, letter := range need {
			for _, owned := range have {
				met = met || letter == owned
			}
		}
		if !met {
			return false
		}
	}
	return true
}

// TestRoutesAndGrants tries every route with every grant.
func TestRoutesAndGrants(t *testing.T) {
	f := serve(t, gcs.Options{})
	admin := bearer(f.account(t, "all", all("photos")))
	upload := request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=media&name=", body: "content"}
	modes := []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}
	for i := range 64 {
		grant := fakedriver.Grant{Bucket: "photos", ObjectData: modes[i%4], ObjectMetadata: modes[i/4%4], BucketMetadata: modes[i/16]}
		key := bearer(f.account(t, fmt.Sprintf("app-%d", i), grant))
		for _, name := range []string{"x", "y"} {
			again := upload
			again.path += name
			if status, _, body := f.do(t, again, admin); status != ok {
				t.Fatalf("upload %s: %d %s", name, status, body)
			}
		}
		for _, route := range routes {
			status, _, body := f.do(t, route.request, key)
			if want := covered(route.needs, letters(grant)); want != (status < 300) || !want && status != forbidden {
				t.Errorf("%s %s with %q: %d %s, want it let through: %t", route.method, route.path, letters(grant), status, body, want)
			}
		}
	}
}

// TestForeignBuckets tries every route on buckets without a grant.
func TestForeignBuckets(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.bucket(t, "archive")
	if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "s3only", Owner: owner}); err != nil {
		t.Fatal(err)
	}
	s3Key := bearer(f.account(t, "s3", all("s3only")))
	key := bearer(f.account(t, "app", all("archive")))
	for _, route := range routes {
		for name, authorization := range map[string]string{"Other": key, "S3": s3Key} {
			status, _, body := f.do(t, route.request, authorization)
			if status != forbidden || route.method != http.MethodHead && reasonOf(t, status, body) != "forbidden" {
				t.Errorf("%s: %s %s: %d %s", name, route.method, route.path, status, body)
			}
		}
	}
	for _, r := range []request{
		{method: "GET", path: "/storage/v1/b/s3only/o"},
		{method: "POST", path: "/upload/storage/v1/b/s3only/o?uploadType=media&name=x"},
	} {
		if status, _, body := f.do(t, r, s3Key); status != forbidden {
			t.Errorf("a bucket of S3: %s %s: %d %s", r.method, r.path, status, body)
		}
	}
	for _, path := range []string{"/storage/v1/b/photos/o/x/copyTo/b/archive/o/y", "/storage/v1/b/photos/o/x/rewriteTo/b/archive/o/y"} {
		if status, _, body := f.do(t, request{method: "POST", path: path}, key); status != forbidden {
			t.Errorf("copy from elsewhere: %s: %d %s", path, status, body)
		}
	}
}
