package gcs_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
)

// xmlCall is an operation of the XML API with Amazon's client, and what it needs; see routes. The
// buckets photos and archive have the objects x and y, and the upload with the ID.
type xmlCall struct {
	name  string
	run   func(ctx context.Context, c *s3.Client, bucket, upload string) error
	needs []string
}

// calls are all operations of the XML API.
var calls = []xmlCall{
	{"HeadBucket", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b}))
	}, nil},
	{"GetBucketLocation", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: &b}))
	}, nil},
	{"GetBucketVersioning", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &b}))
	}, []string{"bd"}},
	{"ListObjects", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjects(ctx, &s3.ListObjectsInput{Bucket: &b}))
	}, []string{"d"}},
	{"ListObjectsV2", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &b}))
	}, []string{"d"}},
	{"ListObjectVersions", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &b}))
	}, []string{"d"}},
	{"ListMultipartUploads", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &b}))
	}, []string{"D"}},
	{"GetObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		got, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &b, Key: aws.String("x")})
		if err == nil {
			_, err = io.Copy(io.Discard, got.Body)
			err = errors.Join(err, got.Body.Close())
		}
		return err
	}, []string{"d"}},
	{"HeadObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b, Key: aws.String("x")}))
	}, []string{"dm"}},
	{"PutObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.PutObject(ctx, &s3.PutObjectInput{Bucket: &b, Key: aws.String("new"), Body: strings.NewReader("new")}))
	}, []string{"D"}},
	{"CopyObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &b, Key: aws.String("new"), CopySource: aws.String(b + "/x")}))
	}, []string{"d", "D"}},
	{"ComposeObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(ask(ctx, c, http.MethodPut, "/"+b+"/new?compose=", components("<Name>x</Name>")))
	}, []string{"d", "D"}},
	{"UploadPart", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b, Key: aws.String("parts"), UploadId: &upload, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte("part")),
		}))
	}, []string{"D"}},
	{"ListParts", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.ListParts(ctx, &s3.ListPartsInput{Bucket: &b, Key: aws.String("parts"), UploadId: &upload}))
	}, []string{"D"}},
	{"CreateMultipartUpload", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &b, Key: aws.String("parts")}))
	}, []string{"D"}},
	{"CompleteMultipartUpload", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &b, Key: aws.String("parts"), UploadId: &upload, MultipartUpload: &types.CompletedMultipartUpload{
				Parts: []types.CompletedPart{{PartNumber: aws.Int32(2), ETag: aws.String(`"1cf2a2b04ff63eda49c2d6d0eee4d759"`)}},
			},
		}))
	}, []string{"D"}},
	{"AbortMultipartUpload", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b, Key: aws.String("other"), UploadId: &upload}))
	}, []string{"D"}},
	{"DeleteObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b, Key: aws.String("y")}))
	}, []string{"D"}},
	{"DeleteObjects", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &b, Delete: &types.Delete{
			Objects: []types.ObjectIdentifier{{Key: aws.String("x")}},
		}}))
	}, []string{"D"}},
	{"PutBucketVersioning", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
			Bucket: &b, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
		}))
	}, []string{""}},
	{"DeleteBucket", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b}))
	}, []string{""}},
	{"CreateBucket", func(ctx context.Context, c *s3.Client, _, _ string) error {
		return second(c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("mine")}))
	}, []string{""}},
}

func second[T any](_ T, err error) error { return err }

// codeOf returns the code of an error of the XML API; NoSuchUpload counts as success, because it is
// said only to those who may upload.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	failed, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return err.Error()
	}
	switch failed.ErrorCode() {
	case "NoSuchUpload", "InvalidPart":
		return ""
	case "Forbidden": // of HEAD, which has no body
		return "AccessDenied"
	}
	return failed.ErrorCode()
}

// TestXMLGrants tries every operation of the XML API with every grant.
func TestXMLGrants(t *testing.T) {
	f := serve(t, gcs.Options{})
	admin := f.account(t, "all", all("photos"))
	owner := f.amazon(t, admin)
	modes := []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}
	for i := range 64 {
		grant := fakedriver.Grant{Bucket: "photos", ObjectData: modes[i%4], ObjectMetadata: modes[i/4%4], BucketMetadata: modes[i/16]}
		c := f.amazon(t, f.account(t, fmt.Sprintf("app-%d", i), grant))
		for _, name := range []string{"x", "y"} {
			f.put(t, "photos", name, "content", bearer(admin))
		}
		upload, err := owner.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
			Bucket: aws.String("photos"), Key: aws.String("parts"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			want := "AccessDenied"
			if covered(call.needs, letters(grant)) {
				want = ""
			}
			if got := codeOf(call.run(t.Context(), c, "photos", *upload.UploadId)); got != want {
				t.Errorf("%s with %q: %q, want %q", call.name, letters(grant), got, want)
			}
		}
	}
}

// TestXMLForeignBuckets tries every operation on buckets that the key is not for, or that are of
// another protocol.
func TestXMLForeignBuckets(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.bucket(t, "archive")
	for name, protocol := range map[string]fakedriver.Protocol{"s3only": fakedriver.ProtocolS3, "azureonly": fakedriver.ProtocolAzure} {
		if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: protocol}); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]fakedriver.Credentials{
		"photos": f.account(t, "app", all("archive")), "nothing": f.account(t, "other", all("archive")),
		"s3only": f.account(t, "s3", all("s3only")), "azureonly": f.account(t, "azure", all("azureonly")),
	}
	for bucket, key := range keys {
		c := f.amazon(t, key)
		for _, call := range calls {
			if call.name == "CreateBucket" {
				continue
			}
			if got := codeOf(call.run(t.Context(), c, bucket, "upload")); got != "AccessDenied" {
				t.Errorf("%s of %s: %q, want AccessDenied", call.name, bucket, got)
			}
		}
	}
	f.put(t, "archive", "x", "content", bearer(keys["photos"]))
	_, err := f.amazon(t, f.account(t, "both", all("photos"))).CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String("photos"), Key: aws.String("new"), CopySource: aws.String("archive/x"),
	})
	if codeOf(err) != "AccessDenied" {
		t.Errorf("copy from a foreign bucket: %v", err)
	}
}

// TestXMLListBuckets lists the buckets of a key, which are those of GCS alone.
func TestXMLListBuckets(t *testing.T) {
	f := serve(t, gcs.Options{})
	if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "s3only", Owner: owner}); err != nil {
		t.Fatal(err)
	}
	c := f.amazon(t, f.account(t, "app", all("photos"), all("s3only")))
	list, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(list.Buckets) != 1 || aws.ToString(list.Buckets[0].Name) != "photos" {
		t.Errorf("ListBuckets() = %+v, %v", list, err)
	}
}

// TestKeyOfGCSOnS3 tries the key of a GCS bucket at the S3 service.
func TestKeyOfGCSOnS3(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	f.address = f.serveS3(t)
	_, err := f.amazonIn(t, key, "us-east-1").ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String("photos")})
	if codeOf(err) != "AccessDenied" {
		t.Errorf("ListObjectsV2(): %v", err)
	}
}

// TestXMLGenerations reads, copies and deletes versions by their generations, which boto gives twice.
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

// TestXMLLists expects the generations of objects in lists, which those of S3 do not have.
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

// TestXMLRejections sends what the XML API has, or Google does not have, and cosi-emu does not
// serve. Nothing is ignored.
//
//nolint:lll // one case a line
func TestXMLRejections(t *testing.T) {
	f := serve(t, gcs.Options{MaxBodyBytes: 1 << 10})
	key := f.account(t, "app", all("photos"))
	f.put(t, "photos", "x", "content", bearer(key))
	now := time.Now().UTC()
	for _, tc := range []struct {
		name, method, path string
		headers            map[string]string
		body               string
		want               int
		code               string
	}{
		{"ACL", "PUT", "/photos/y", map[string]string{"x-goog-acl": "public-read"}, "", 400, "AccessControlListNotSupported"},
		{"Private", "PUT", "/photos/y", map[string]string{"x-goog-acl": "project-private"}, "", 200, ""},
		{"Encryption", "PUT", "/photos/y", map[string]string{"x-goog-encryption-key": "k"}, "", 501, "NotImplemented"},
		{"Lock", "PUT", "/photos/y", map[string]string{"x-goog-object-lock-mode": "GOVERNANCE"}, "", 501, "NotImplemented"},
		{"Unknown", "PUT", "/photos/y", map[string]string{"x-goog-unknown": "k"}, "", 501, "NotImplemented"},
		{"Tagging", "PUT", "/photos/y", map[string]string{"x-amz-tagging": "a=b"}, "", 501, "NotImplemented"},
		{"Both", "PUT", "/photos/y", map[string]string{"x-goog-meta-a": "1", "x-amz-meta-a": "2"}, "", 400, "InvalidArgument"},
		{"Class", "PUT", "/photos/y", map[string]string{"x-goog-storage-class": "STANDARD_IA"}, "", 400, "InvalidStorageClass"},
		{"CustomTime", "PUT", "/photos/y", map[string]string{"x-goog-custom-time": "now"}, "", 400, "InvalidArgument"},
		{"Hash", "PUT", "/photos/y", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, "x", 400, "BadDigest"},
		{"MD5", "PUT", "/photos/y", map[string]string{"x-goog-hash": "md5=mgNkuembtIDdJeHwKEyFVQ=="}, "x", 400, "BadDigest"},
		{"TooLarge", "PUT", "/photos/y", nil, strings.Repeat("x", 1<<10+1), 400, "EntityTooLarge"},
		{"LengthRange", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "1,10"}, strings.Repeat("x", 11), 400, "EntityTooLarge"},
		{"LengthRangeLow", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "2,10"}, "x", 400, "EntityTooSmall"},
		{"LengthRangeOK", "PUT", "/photos/y", map[string]string{"x-goog-content-length-range": "1,10"}, "x", 200, ""},
		{"Condition", "PUT", "/photos/x", map[string]string{"x-goog-if-generation-match": "0"}, "x", 412, "PreconditionFailed"},
		{"ConditionText", "PUT", "/photos/x", map[string]string{"x-goog-if-generation-match": "x"}, "x", 400, "InvalidArgument"},
		{"Metageneration", "DELETE", "/photos/x", map[string]string{"x-goog-if-metageneration-match": "2"}, "", 412, "PreconditionFailed"},
		{"Compose", "PUT", "/photos/y?compose=", nil, "", 400, "MalformedXML"},
		{"ComposeHash", "PUT", "/photos/y?compose=", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, "", 501, "NotImplemented"},
		{"ComposeLength", "PUT", "/photos/y?compose=", map[string]string{"x-goog-content-length-range": "1,10"}, "", 501, "NotImplemented"},
		{"ComposeCopy", "PUT", "/photos/y?compose=", map[string]string{"x-goog-copy-source": "photos/x"}, "", 501, "NotImplemented"},
		{"ComposeIfMatch", "PUT", "/photos/y?compose=", map[string]string{"if-match": "*"}, "", 501, "NotImplemented"},
		{"ComposeVersion", "PUT", "/photos/y?compose=&generation=1", nil, "", 501, "NotImplemented"},
		{"ComposePost", "POST", "/photos/y?compose=", nil, "", 501, "NotImplemented"},
		{"ComposeBucket", "PUT", "/photos?compose=", nil, "", 501, "NotImplemented"},
		{"GetACL", "GET", "/photos/x?acl=", nil, "", 403, "AccessDenied"},
		{"CORS", "GET", "/photos?cors=", nil, "", 501, "NotImplemented"},
		{"Tags", "GET", "/photos/x?tagging=", nil, "", 501, "NotImplemented"},
		{"PartCopy", "PUT", "/photos/y?partNumber=1&uploadId=x", map[string]string{"x-goog-copy-source": "photos/x"}, "", 501, "NotImplemented"},
		{"ListFormat", "GET", "/photos?versions=", map[string]string{"x-goog-interop-list-objects-format": "disabled"}, "", 501, "NotImplemented"},
		{"Generation", "GET", "/photos/x?generation=x", nil, "", 400, "InvalidArgument"},
		{"NoGeneration", "GET", "/photos/x?generation=1", nil, "", 404, "NoSuchVersion"},
		{"TwoGenerations", "GET", "/photos/x?generation=1&versionId=1", nil, "", 400, "InvalidArgument"},
		{"SourceGeneration", "PUT", "/photos/y", map[string]string{"x-goog-copy-source-generation": "1"}, "", 400, "InvalidArgument"},
		{"Nothing", "GET", "/photos/nothing", nil, "", 404, "NoSuchKey"},
		{"DeleteNothing", "DELETE", "/photos/nothing", nil, "", 404, "NoSuchKey"},
		{"Resume", "POST", "/photos/y", map[string]string{"x-goog-resumable": "stop"}, "", 400, "InvalidArgument"},
		{"ResumeForeign", "POST", "/archive/y", map[string]string{"x-goog-resumable": "start"}, "", 403, "AccessDenied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path, text, _ := strings.Cut(tc.path, "?")
			query := map[string][]string{}
			for pair := range strings.SplitSeq(text, "&") {
				if name, value, ok := strings.Cut(pair, "="); ok {
					query[name] = []string{value}
				}
			}
			r := request{method: tc.method, path: f.signedURL(key, tc.method, path, now, query, tc.headers), body: tc.body, header: headerOf(tc.headers)}
			status, _, body := f.do(t, r, "")
			if status != tc.want || tc.code != "" && !strings.Contains(string(body), "<Code>"+tc.code+"</Code>") {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.code)
			}
		})
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/photos/x"}, bearer(key)); status != http.StatusOK || string(body) != "content" {
		t.Errorf("rejected requests have left %d %s", status, body)
	}
}

// TestXMLChunks uploads without a Content-Length.
func TestXMLChunks(t *testing.T) {
	const limit = 1 << 10
	f := serve(t, gcs.Options{MaxBodyBytes: limit})
	key := f.account(t, "app", all("photos"))
	for _, tc := range []struct {
		name, body string
		headers    map[string]string
		want       int
		code       string
	}{
		{"Content", "content", nil, 200, ""},
		{"Empty", "", nil, 200, ""},
		{"AsLargeAsTheLimit", strings.Repeat("x", limit), nil, 200, ""},
		{"TooLarge", strings.Repeat("x", limit+1), nil, 400, "EntityTooLarge"},
		{"OtherHash", "x", map[string]string{"x-goog-hash": "crc32c=AAAAAA=="}, 400, "BadDigest"},
		{"LengthRange", "x", map[string]string{"x-goog-content-length-range": "0,10"}, 411, "MissingContentLength"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := "/photos/" + tc.name
			address := f.address + f.signedURL(key, http.MethodPut, path, time.Now().UTC(), nil, tc.headers)
			status, answer := putChunked(t, address, tc.body, tc.headers)
			if status != tc.want || tc.code != "" && !strings.Contains(answer, "<Code>"+tc.code+"</Code>") {
				t.Fatalf("%d %s, want %d %s", status, answer, tc.want, tc.code)
			}
			status, _, got := f.do(t, request{method: http.MethodGet, path: path}, bearer(key))
			if stored := status == http.StatusOK && string(got) == tc.body; stored != (tc.want == http.StatusOK) {
				t.Errorf("the object: %d, %d bytes", status, len(got))
			}
		})
	}
}

// putChunked sends a body without its length.
func putChunked(t *testing.T, address, body string, headers map[string]string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, io.MultiReader(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header, r.TransferEncoding = headerOf(headers), []string{"chunked"}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// TestDescribe names requests of all APIs for the journal.
func TestDescribe(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	now := time.Now().UTC()
	signed := func(method, path string, headers map[string]string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), method, f.signedURL(key, method, path, now, nil, headers), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = headerOf(headers)
		return r
	}
	resumable := func(method, span string) *http.Request {
		address := "/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=u&name=x"
		r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Range", span)
		return r
	}
	composed := signed("PUT", "/photos/x", nil)
	composed.URL.RawQuery += "&compose"
	for _, tc := range []struct {
		r    *http.Request
		want string
	}{
		{signed("GET", "/photos/a/b", nil), "objects.get media photos/a/b"},
		{signed("PUT", "/photos/x", nil), "objects.insert photos/x"},
		{signed("PUT", "/photos/x", map[string]string{"x-goog-copy-source": "photos/y"}), "objects.copy photos/x"},
		{signed("POST", "/photos/x", map[string]string{"x-goog-resumable": "start"}), "objects.insert resumable photos/x"},
		{signed("DELETE", "/photos/x", nil), "objects.delete photos/x"},
		{signed("GET", "/photos", nil), "objects.list photos/"},
		{resumable("POST", ""), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 0-4/*"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 0-4/10"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes */10"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes */*"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes -/0"), "objects.insert resumable photos/x"},
		{resumable("PUT", "bytes 5-9/10"), "objects.insert photos/x"},
		{resumable("PUT", ""), "objects.insert photos/x"},
		{resumable("DELETE", ""), "objects.insert cancel photos/x"},
		{composed, "objects.compose photos/x"},
	} {
		got := f.service.Describe(tc.r)
		if text := got.Operation + " " + got.Bucket + "/" + got.Key; text != tc.want {
			t.Errorf("%s %s %q: %q, want %q", tc.r.Method, tc.r.URL.Path, tc.r.Header.Get("Content-Range"), text, tc.want)
		}
	}
}
