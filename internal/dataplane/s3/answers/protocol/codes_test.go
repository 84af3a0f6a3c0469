package protocol_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestCodes compares the codes of rejections with S3's, which clients depend on.
//
//nolint:lll // one case a line
func TestCodes(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("kept", "content")
	a.Put("a b", "space")
	u := a.Begin("big")
	part := "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>"
	const (
		source    = "X-Amz-Copy-Source"
		bypass    = "X-Amz-Bypass-Governance-Retention"
		tags      = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>"
		cors      = "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>"
		deletion  = "<Delete><Object><Key>missing</Key></Object></Delete>"
		odd       = "<Delete><Object><Key>kept</Key><VersionId>x</VersionId></Object></Delete>"
		retention = "X-Amz-Object-Lock-Retain-Until-Date"
	)
	digest := func(body string) []string { return []string{"Content-Md5", s3test.MD5Of(body)} }
	tests := map[string]struct {
		reason, method, target, body string
		header                       []string
		status                       int
		code, detail                 string
	}{
		"Climbs":           {"It leaves the bucket.", "PUT", "/../up", "x", nil, 400, "BadRequest", ""},
		"ClimbsLater":      {"It leaves the bucket.", "GET", "/a/../../b/c", "", nil, 400, "BadRequest", ""},
		"Down":             {"It stays in the bucket.", "GET", "/a/b/../../c", "", nil, 404, "NoSuchKey", ""},
		"DotsOfName":       {"They are no path.", "GET", "/..a/b..", "", nil, 404, "NoSuchKey", ""},
		"Version":          {"No version has such an ID.", "GET", "/kept?versionId=../x", "", nil, 400, "InvalidArgument", "<ArgumentValue>../x</ArgumentValue>"},
		"VersionOfMissing": {"The ID is checked first.", "DELETE", "/missing?versionId=x", "", nil, 400, "InvalidArgument", "versionId"},
		"VersionOfMany":    {"An error of its object.", "POST", "?delete", odd, digest(odd), 200, "", "<Code>InvalidArgument</Code>"},
		"VersionOfS3":      {"It has the form of S3's.", "GET", "/kept?versionId=v5n1PPUjOCMHLyyfq0ayjoZ5RZLfVQKA", "", nil, 404, "NoSuchVersion", ""},
		"Null":             {"It is the only one.", "GET", "/kept?versionId=null", "", nil, 200, "", ""},
		"PartOfMissing":    {"The number is checked first.", "GET", "/missing?partNumber=0", "", nil, 400, "InvalidArgument", "partNumber"},
		"NoSuchPart":       {"There is one.", "GET", "/kept?partNumber=2", "", nil, 416, "InvalidPartNumber", "<ActualPartCount>1</ActualPartCount>"},
		"Bypass":           {"Nothing is locked.", "DELETE", "/kept", "", []string{bypass, "true"}, 400, "InvalidArgument", "Object Lock"},
		"BypassMany":       {"Accepted for many.", "POST", "?delete", deletion, append(digest(deletion), bypass, "true"), 200, "", "Deleted"},
		"DeleteNoDigest":   {"Required.", "POST", "?delete", deletion, nil, 400, "InvalidRequest", "Content-MD5 OR x-amz-checksum-*"},
		"TagNoDigest":      {"Required.", "PUT", "?tagging", tags, nil, 400, "InvalidRequest", "Content-MD5 OR x-amz-checksum-*"},
		"CORSNoDigest":     {"Required.", "PUT", "?cors", cors, nil, 400, "InvalidRequest", "Content-MD5 OR x-amz-checksum-*"},
		"CORSChecksum":     {"A checksum is a digest.", "PUT", "?cors", cors, []string{"X-Amz-Checksum-Sha256", s3test.ChecksumOf("SHA256", cors)}, 200, "", ""},
		"ObjectTags":       {"Not required.", "PUT", "/kept?tagging", tags, nil, 200, "", ""},
		"NoDocument":       {"Required.", "PUT", "/kept?tagging", "", nil, 400, "MissingRequestBodyError", ""},
		"CopyContent":      {"The source has the content.", "PUT", "/copy", "x", []string{source, "photos/kept"}, 400, "UnexpectedContent", ""},
		"CopyPlus":         {"A plus is a space.", "PUT", "/copy", "", []string{source, "photos/a+b"}, 200, "", "CopyObjectResult"},
		"CopyBucket":       {"No bucket has such a name.", "PUT", "/copy", "", []string{source, "192.168.1.1/k"}, 400, "InvalidArgument", "bucket name"},
		"CopyVersion":      {"No version has such an ID.", "PUT", "/copy", "", []string{source, "photos/kept?versionId=x"}, 400, "InvalidArgument", "versionId"},
		"CopyByGet":        {"Nothing is copied.", "GET", "/kept", "", []string{source, "photos/kept"}, 400, "InvalidArgument", "x-amz-copy-source"},
		"Redirect":         {"No location.", "PUT", "/new", "x", []string{"X-Amz-Website-Redirect-Location", "elsewhere"}, 400, "InvalidRedirectLocation", ""},
		"CannedACL":        {"S3 has none of that name.", "PUT", "/new", "x", []string{"X-Amz-Acl", "privatee"}, 400, "InvalidArgument", "<ArgumentValue>privatee</ArgumentValue>"},
		"PublicACL":        {"Grants decide.", "PUT", "/new", "x", []string{"X-Amz-Acl", "public-read"}, 400, "AccessControlListNotSupported", ""},
		"LockOfOther":      {"The value is checked first.", "PUT", "/new", "x", []string{retention, "2100-01-01T00:00:00Z"}, 400, "InvalidArgument", "x-amz-object-lock-mode"},
		"HoldOfMissing":    {"The object is looked up first.", "GET", "/missing?legal-hold", "", nil, 404, "NoSuchKey", ""},
		"TagTwice":         {"Which one counts?", "PUT", "/new", "x", []string{"X-Amz-Tagging", "a=1&a=2"}, 400, "InvalidArgument", "x-amz-tagging"},
		"TooManyTags":      {"At most 10.", "PUT", "/new", "x", []string{"X-Amz-Tagging", "a&b&c&d&e&f&g&h&i&j&k"}, 400, "BadRequest", "10"},
		"OddDigest":        {"No MD5.", "PUT", "/new", "x", []string{"Content-Md5", "x"}, 400, "InvalidDigest", "<Content-MD5>x</Content-MD5>"},
		"NoETag":           {"Required.", "POST", "/big?uploadId=" + *u.UploadId, part, nil, 400, "MalformedXML", ""},
		"IfNotETag":        {"S3 has it for reading only.", "PUT", "/new", "x", []string{"If-None-Match", `"a"`}, 501, "NotImplemented", "If-None-Match"},
		"Restore":          {"It is named.", "POST", "/kept?restore", "", nil, 501, "NotImplemented", "RestoreObject"},
		"Post":             {"It is named.", "POST", "/kept", "", nil, 501, "NotImplemented", "POST"},
		"Unknown":          {"Ignored.", "GET", "/kept?x-request=7", "", nil, 200, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.In(t).Raw(tc.method, tc.target, tc.body, tc.header...)
			if found := s3test.CodeOf(got.Body); got.Status != tc.status || found != tc.code || !strings.Contains(got.Body, tc.detail) {
				t.Errorf("%s\nanswer %d %s, want %d %s with %q: %s", tc.reason, got.Status, found, tc.status, tc.code, tc.detail, got.Body)
			}
		})
	}
	if got := a.Raw(http.MethodGet, "/kept", ""); got.Body != "content" {
		t.Errorf("the object is %q", got.Body)
	}
	if got := a.Raw(http.MethodGet, "/copy", ""); got.Body != "space" {
		t.Errorf("the copy is %q", got.Body)
	}
}
