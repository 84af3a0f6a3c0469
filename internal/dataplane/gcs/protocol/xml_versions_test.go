package protocol_test

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestXMLGenerations reads, copies and deletes versions by their generations, which boto sends
// twice.
func TestXMLGenerations(t *testing.T) {
	f := serve(t, gcs.Options{})
	spec := fakedriver.BucketSpec{Name: "kept", Owner: owner, Protocol: fakedriver.ProtocolGCS, Versioning: true}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	key := f.account(t, "app", all("kept"))
	first := f.put(t, "kept", "x", "first", bearer(key))
	f.put(t, "kept", "x", "second", bearer(key))
	now := time.Now().UTC()
	generation := map[string][]string{"generation": {first}}
	copied := map[string]string{"x-goog-copy-source": "kept/x", "x-goog-copy-source-generation": first}
	for _, tc := range []struct {
		name, method, object string
		query                map[string][]string
		headers              map[string]string
		want                 int
		body                 string
	}{
		{"Latest", "GET", "x", nil, nil, 200, "second"},
		{"First", "GET", "x", generation, nil, 200, "first"},
		{"Twice", "GET", "x", map[string][]string{"generation": {first, first}}, nil, 200, "first"},
		{"Different", "GET", "x", map[string][]string{"generation": {first, "1"}}, nil, 400, "InvalidArgument"},
		{"Copy", "PUT", "y", nil, copied, 200, "CopyObjectResult"},
		{"Copied", "GET", "y", nil, nil, 200, "first"},
		{"List", "GET", "", map[string][]string{"versions": {""}}, nil, 200, "<VersionId>" + first + "</VersionId>"},
		{"Delete", "DELETE", "x", generation, nil, 204, ""},
		{"Deleted", "GET", "x", generation, nil, 404, "NoSuchVersion"},
		{"StillLatest", "GET", "x", nil, nil, 200, "second"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := f.signedURL(key, tc.method, "/kept/"+tc.object, now, tc.query, tc.headers)
			status, _, body := f.do(t, request{method: tc.method, path: path, header: headerOf(tc.headers)}, "")
			if status != tc.want || !strings.Contains(string(body), tc.body) {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.body)
			}
		})
	}
}

// TestXMLLists expects the generations of objects in lists, which S3's lists do not have.
func TestXMLLists(t *testing.T) {
	f := serve(t, gcs.Options{})
	for name, protocol := range map[string]fakedriver.Protocol{"kept": fakedriver.ProtocolGCS, "s3only": fakedriver.ProtocolS3} {
		spec := fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: protocol, Versioning: true}
		if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	key := f.account(t, "app", all("kept"), all("s3only"))
	first := f.put(t, "kept", "x", "first", bearer(key))
	second := f.put(t, "kept", "x", "second", bearer(key))
	patch := request{method: "PATCH", path: "/storage/v1/b/kept/o/x", body: `{"contentType":"text/x"}`}
	if status, _, body := f.do(t, patch, bearer(key)); status != ok {
		t.Fatalf("patch: %d %s", status, body)
	}
	type entry struct {
		Key            string `xml:"Key"`
		Generation     string `xml:"Generation"`
		MetaGeneration string `xml:"MetaGeneration"`
		VersionID      string `xml:"VersionId"`
	}
	latest := []entry{{"x", second, "2", ""}}
	versions := []entry{{"x", second, "2", second}, {"x", first, "1", first}}
	for _, tc := range []struct {
		name    string
		query   map[string][]string
		headers map[string]string
		want    []entry
	}{
		{"Objects", nil, nil, latest},
		{"ObjectsV2", map[string][]string{"list-type": {"2"}}, nil, latest},
		{"Versions", map[string][]string{"versions": {""}}, nil, versions},
		{"VersionsOfS3", map[string][]string{"versions": {""}}, map[string]string{"x-goog-interop-list-objects-format": "enabled"}, versions},
		{"VersionsOfSDK", map[string][]string{"versions": {""}}, map[string]string{"x-amz-interop-list-objects-format": "enabled"}, versions},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := f.signedURL(key, "GET", "/kept", time.Now().UTC(), tc.query, tc.headers)
			status, _, body := f.do(t, request{method: "GET", path: path, header: headerOf(tc.headers)}, "")
			var list struct {
				Contents []entry `xml:"Contents"`
				Version  []entry `xml:"Version"`
			}
			if err := xml.Unmarshal(body, &list); err != nil || status != ok {
				t.Fatalf("%d %s: %v", status, body, err)
			}
			if diff := cmp.Diff(tc.want, append(list.Contents, list.Version...)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	f.address = f.serveS3(t)
	c := f.amazonIn(t, key, f.store.Region())
	if _, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("s3only"), Key: aws.String("x")}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?versions="} {
		if body, err := ask(t.Context(), c, http.MethodGet, "/s3only"+query, ""); err != nil || bytes.Contains(body, []byte("eneration>")) {
			t.Errorf("the list %q of S3: %s, %v", query, body, err)
		}
	}
}
