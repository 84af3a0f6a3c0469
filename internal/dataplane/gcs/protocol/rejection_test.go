package protocol_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

func TestUnauthenticated(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	gone := f.account(t, "gone", all("photos"))
	if err := f.store.DeleteAccount(t.Context(), owner, "gone"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, reason, authorization, want string }{
		{"Anonymous", "No bucket is public.", "", "required"},
		{"Wrong", "Not the secret.", bearer(fakedriver.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: "wrong"}), "authError"},
		{"Empty", "No secret.", bearer(fakedriver.Credentials{AccessKeyID: key.AccessKeyID}), "authError"},
		{"Unknown", "An unknown key.", bearer(fakedriver.Credentials{AccessKeyID: "COSI", SecretAccessKey: key.SecretAccessKey}), "authError"},
		{"Nothing", "An unknown key.", "Bearer :", "authError"},
		{"Half", "Half a token.", "Bearer " + key.AccessKeyID, "authError"},
		{"Longer", "Not the secret.", bearer(key) + "x", "authError"},
		{"Basic", "Another scheme.", "Basic " + bearer(key)[7:], "authError"},
		{"Revoked", "Its account is gone.", bearer(gone), "authError"},
	} {
		for _, route := range routes {
			status, header, body := f.do(t, route.request, tc.authorization)
			if status != http.StatusUnauthorized || header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: %s\n%s %s: %d %s", tc.name, tc.reason, route.method, route.path, status, body)
			}
			if route.method != http.MethodHead && reasonOf(t, status, body) != tc.want {
				t.Errorf("%s: %s\n%s %s: %s, want the reason %s", tc.name, tc.reason, route.method, route.path, body, tc.want)
			}
		}
	}
	twice := request{method: "GET", path: "/storage/v1/b/photos/o", header: http.Header{"Authorization": {bearer(key), bearer(gone)}}}
	if status, _, _ := f.do(t, twice, ""); status != http.StatusUnauthorized {
		t.Errorf("two tokens: status %d", status)
	}
}

//nolint:lll // one case a line
func TestRejections(t *testing.T) {
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: 1 << 10}})
	key := bearer(f.account(t, "app", all("photos")))
	if status, _, body := f.do(t, request{method: "POST", path: upload + "&name=x", body: "content"}, key); status != ok {
		t.Fatalf("upload: %d %s", status, body)
	}
	for _, tc := range []struct {
		name, reason string
		request
		status int
		want   string
	}{
		{"Batch", "It has no calls.", request{method: "POST", path: "/batch/storage/v1"}, 400, "invalid"},
		{"XMLUpload", "Of the XML API only downloads.", request{method: "PUT", path: "/photos/x", body: "x"}, 400, "notImplemented"},
		{"ObjectACL", "Rights are the driver's.", request{method: "PUT", path: "/storage/v1/b/photos/o/x/acl/allUsers", body: `{"role":"READER"}`}, 400, "notImplemented"},
		{"BucketACL", "Rights are the driver's.", request{method: "POST", path: "/storage/v1/b/photos/acl"}, 400, "notImplemented"},
		{"PublicUpload", "Nothing is public.", request{method: "POST", path: upload + "&name=y&predefinedAcl=publicRead"}, 400, "notImplemented"},
		{"ACLInPatch", "Rights are the driver's.", request{method: "PATCH", path: "/storage/v1/b/photos/o/x", body: `{"acl":[{"entity":"allUsers"}]}`}, 400, "notImplemented"},
		{"Encryption", "It would not be encrypted.", request{method: "POST", path: upload + "&name=y", header: http.Header{"X-Goog-Encryption-Key": {"k"}}}, 400, "notImplemented"},
		{"Condition", "It would be ignored.", request{method: "DELETE", path: "/storage/v1/b/photos/o/x", header: http.Header{"If-Match": {"e"}}}, 400, "notImplemented"},
		{"ListCondition", "It would be ignored.", request{method: "GET", path: "/storage/v1/b/photos/o", header: http.Header{"If-None-Match": {"*"}}}, 400, "notImplemented"},
		{"BucketCondition", "It would be ignored.", request{method: "GET", path: "/storage/v1/b/photos", header: http.Header{"If-None-Match": {"*"}}}, 400, "notImplemented"},
		{"Time", "The JSON API has ETags.", request{method: "GET", path: "/storage/v1/b/photos/o/x", header: http.Header{"If-Modified-Since": {"Mon, 02 Jan 2006 15:04:05 GMT"}}}, 400, "notImplemented"},
		{"Twice", "Which of the two?", request{method: "GET", path: "/storage/v1/b/photos/o?prefix=a&prefix=b"}, 400, "invalid"},
		{"Query", "Two readers would differ.", request{method: "GET", path: "/storage/v1/b/photos/o?prefix=%zz"}, 400, "invalid"},
		{"TooLarge", "Bounded.", request{method: "POST", path: upload + "&name=y", body: strings.Repeat("x", 1<<10+1)}, 413, "uploadTooLarge"},
		{"FarTooLarge", "Not even read.", request{method: "POST", path: upload + "&name=y", body: strings.Repeat("x", 3<<20)}, 413, "uploadTooLarge"},
		{"NoName", "Of what?", request{method: "POST", path: upload}, 400, "invalid"},
		{"Dots", "GCS has none such.", request{method: "POST", path: upload + "&name=.."}, 400, "invalid"},
		{"LongName", "GCS has none such.", request{method: "POST", path: upload + "&name=" + strings.Repeat("n", 1025)}, 400, "invalid"},
		{"BadBucket", "No such name.", request{method: "GET", path: "/storage/v1/b/..%2Fx/o"}, 400, "invalid"},
		{"Checksum", "Damaged on its way.", request{method: "POST", path: upload + "&name=y", body: "x", header: http.Header{"X-Goog-Hash": {"crc32c=AAAAAA=="}}}, 400, "invalid"},
		{"Multipart", "Not what it says.", request{method: "POST", path: "/upload/storage/v1/b/photos/o?uploadType=multipart", body: "x"}, 400, "invalid"},
		{"Generation", "Not a number.", request{method: "GET", path: "/storage/v1/b/photos/o/x?generation=x"}, 400, "invalid"},
		{"OtherGeneration", "Not that one.", request{method: "GET", path: "/storage/v1/b/photos/o/x?generation=1"}, 404, "notFound"},
		{"Nothing", "There is none.", request{method: "GET", path: "/storage/v1/b/photos/o/nothing"}, 404, "notFound"},
		{"NothingBelowPrefix", "The prefix has no effect.", request{method: "DELETE", path: "/storage/v1/b/photos/o/nothing?prefix=n"}, 404, "notFound"},
		{"NoBody", "Not JSON.", request{method: "PATCH", path: "/storage/v1/b/photos/o/x", body: `[]`}, 400, "invalid"},
		{"Range", "Behind the end.", request{method: "GET", path: "/photos/nothing", header: http.Header{"Range": {"bytes=9-"}}}, 404, "notFound"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, body := f.do(t, tc.request, key)
			if status != tc.status || reasonOf(t, status, body) != tc.want {
				t.Errorf("%s\n%s %s: %d %s, want %d %s", tc.reason, tc.method, tc.path, status, body, tc.status, tc.want)
			}
		})
	}
	status, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o?fields=items(name)"}, key)
	if status != ok || strings.Count(string(body), `"name":`) != 1 || !strings.Contains(string(body), `"name":"x"`) {
		t.Errorf("rejected requests have left %s", body)
	}
}

const upload = "/upload/storage/v1/b/photos/o?uploadType=media"
