package authentication_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

//nolint:lll // one case a line
func TestRejections(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{MaxBodyBytes: 1 << 20})
	s.Bucket(t, "photos")
	s.Bucket(t, "other")
	app := s.Account(t, "app", s3test.ReadWrite("photos"))
	gone := s.Account(t, "gone", s3test.ReadWrite("photos"))
	s.Revoke(t, "gone")
	s3test.Put(t, s.Client(t, app), "kept", "kept")

	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	form := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	}
	// A signed header may arrive twice, with another meaning of the first.
	twice := func(r *http.Request) { r.Header["X-Amz-Copy-Source"] = []string{"/photos/kept", "else"} }
	tests := map[string]struct {
		reason string
		change func(*s3test.Signed)
		status int
		want   string
	}{
		"Anonymous":      {"Nothing is public.", func(in *s3test.Signed) { in.After = func(r *http.Request) { r.Header.Del("Authorization") } }, 403, "AccessDenied"},
		"WrongSecret":    {"The key alone is not enough.", func(in *s3test.Signed) { in.Credentials.SecretAccessKey = "wrong" }, 403, "SignatureDoesNotMatch"},
		"UnknownKey":     {"No account has it.", func(in *s3test.Signed) { in.Credentials.AccessKeyID = "COSIUNKNOWN" }, 403, "InvalidAccessKeyId"},
		"Revoked":        {"It has been deleted.", func(in *s3test.Signed) { in.Credentials = gone }, 403, "InvalidAccessKeyId"},
		"OtherBucket":    {"Not granted.", func(in *s3test.Signed) { in.Path = "/other/k" }, 403, "AccessDenied"},
		"NoSuchBucket":   {"The names of other buckets are not disclosed.", func(in *s3test.Signed) { in.Path = "/nothing-here/k" }, 403, "AccessDenied"},
		"OwnBucketAgain": {"Clients that create their bucket first expect this.", func(in *s3test.Signed) { in.Method, in.Path = "PUT", "/photos" }, 409, "BucketAlreadyOwnedByYou"},
		"OwnBucketProbe": {"rclone asks before each upload.", func(in *s3test.Signed) {
			in.Method, in.Path, in.Body, in.Before = "PUT", "/photos", "", set("X-Amz-Bucket-Object-Lock-Enabled", "false")
		}, 409, "BucketAlreadyOwnedByYou"},
		"CreateBucket":   {"Buckets are the driver's.", func(in *s3test.Signed) { in.Method, in.Path = "PUT", "/mine" }, 403, "AccessDenied"},
		"DeleteBucket":   {"Buckets are the driver's.", func(in *s3test.Signed) { in.Method, in.Path = "DELETE", "/photos" }, 403, "AccessDenied"},
		"Old":            {"Replayed.", func(in *s3test.Signed) { in.At = time.Now().Add(-16 * time.Minute) }, 403, "RequestTimeTooSkewed"},
		"Future":         {"Not yet.", func(in *s3test.Signed) { in.At = time.Now().Add(16 * time.Minute) }, 403, "RequestTimeTooSkewed"},
		"WrongRegion":    {"Signed for another region.", func(in *s3test.Signed) { in.Region = "us-west-2" }, 400, "AuthorizationHeaderMalformed"},
		"WrongService":   {"Signed for another service.", func(in *s3test.Signed) { in.Service = "ec2" }, 400, "AuthorizationHeaderMalformed"},
		"AlteredHeader":  {"Changed on the way.", func(in *s3test.Signed) { in.Before, in.After = set("X-Amz-Meta-A", "b"), set("X-Amz-Meta-A", "c") }, 403, "SignatureDoesNotMatch"},
		"UnsignedHeader": {"CVE-2026-54330: a put becomes a copy.", func(in *s3test.Signed) { in.After = set("X-Amz-Copy-Source", "/other/secret") }, 403, "AccessDenied"},
		"AlteredPath":    {"Changed on the way.", func(in *s3test.Signed) { in.After = func(r *http.Request) { r.URL.Path = "/photos/else" } }, 403, "SignatureDoesNotMatch"},
		"AlteredQuery":   {"Changed on the way.", func(in *s3test.Signed) { in.After = func(r *http.Request) { r.URL.RawQuery = "tagging=" } }, 403, "SignatureDoesNotMatch"},
		"AlteredBody":    {"Changed on the way.", func(in *s3test.Signed) { in.Before = set("X-Amz-Content-Sha256", strings.Repeat("0", 64)) }, 400, "XAmzContentSHA256Mismatch"},
		"OddBodyHash":    {"Not a hash.", func(in *s3test.Signed) { in.Before = set("X-Amz-Content-Sha256", "hash") }, 400, "InvalidArgument"},
		"WrongMD5":       {"Damaged on the way.", func(in *s3test.Signed) { in.Before = set("Content-Md5", "AAAAAAAAAAAAAAAAAAAAAA==") }, 400, "BadDigest"},
		"OddMD5":         {"Not a hash.", func(in *s3test.Signed) { in.Before = set("Content-Md5", "x") }, 400, "InvalidDigest"},
		"WrongChecksum":  {"Damaged on the way.", func(in *s3test.Signed) { in.Before = set("X-Amz-Checksum-Crc32", "AAAAAA==") }, 400, "BadDigest"},
		"Garbage":        {"Not even of Signature Version 2.", func(in *s3test.Signed) { in.After = set("Authorization", "AWS HAHAHA") }, 400, "InvalidArgument"},
		"EmptyHeader":    {"As without one.", func(in *s3test.Signed) { in.After = set("Authorization", "") }, 403, "AccessDenied"},
		"SignatureV2":    {"Not supported.", func(in *s3test.Signed) { in.After = set("Authorization", "AWS key:signature") }, 400, "InvalidRequest"},
		"SignatureV4A":   {"Not supported.", func(in *s3test.Signed) { in.After = set("Authorization", "AWS4-ECDSA-P256-SHA256 Credential=a") }, 400, "InvalidRequest"},
		"EmptyForm":      {"No field at all.", func(in *s3test.Signed) { in.Method, in.Path, in.After = "POST", "/photos", form }, 400, "MalformedPOSTRequest"},
		"SignedForm": {"Its fields sign it.", func(in *s3test.Signed) {
			in.Method, in.Path, in.Before = "POST", "/photos", set("Content-Type", "multipart/form-data; boundary=x")
		}, 400, "InvalidArgument"},
		"NoForm":         {"Only forms are posted to buckets.", func(in *s3test.Signed) { in.Method, in.Path = "POST", "/photos" }, 412, "PreconditionFailed"},
		"HeaderTwice":    {"Which one counts?", func(in *s3test.Signed) { in.Before = twice }, 400, "InvalidArgument"},
		"OddAlgorithm":   {"Not supported.", func(in *s3test.Signed) { in.After = set("Authorization", "Bearer token") }, 400, "InvalidArgument"},
		"Malformed":      {"Half a header.", func(in *s3test.Signed) { in.After = set("Authorization", "AWS4-HMAC-SHA256 Credential=a/b") }, 400, "AuthorizationHeaderMalformed"},
		"SessionToken":   {"The key is not a session's.", func(in *s3test.Signed) { in.Before = set("X-Amz-Security-Token", "t") }, 400, "InvalidToken"},
		"TwoMechanisms":  {"Which one counts?", func(in *s3test.Signed) { in.Path += "?X-Amz-Signature=a" }, 400, "InvalidArgument"},
		"NoBodyHash":     {"Required.", func(in *s3test.Signed) { in.After = func(r *http.Request) { r.Header.Del("X-Amz-Content-Sha256") } }, 400, "InvalidRequest"},
		"PutTagging":     {"Must not overwrite the object.", func(in *s3test.Signed) { in.Path += "?tagging=" }, 403, "AccessDenied"},
		"DeleteTagging":  {"Must not delete the object.", func(in *s3test.Signed) { in.Method, in.Path = "DELETE", "/photos/kept?tagging=" }, 403, "AccessDenied"},
		"DeletePolicy":   {"Must not delete the bucket.", func(in *s3test.Signed) { in.Method, in.Path = "DELETE", "/photos?policy=" }, 501, "NotImplemented"},
		"AbortNothing":   {"Must not delete the object.", func(in *s3test.Signed) { in.Method, in.Path = "DELETE", "/photos/kept?uploadId=" }, 400, "InvalidArgument"},
		"NoBucket":       {"A key without a bucket.", func(in *s3test.Signed) { in.Path = "//kept" }, 400, "InvalidURI"},
		"NotUTF8":        {"All such bytes are signed alike.", func(in *s3test.Signed) { in.Path = "/photos/%ff" }, 400, "InvalidURI"},
		"LongKey":        {"S3 allows 1024 bytes.", func(in *s3test.Signed) { in.Path = "/photos/" + strings.Repeat("k", 1025) }, 400, "KeyTooLongError"},
		"TooLarge":       {"Bounded by an option.", func(in *s3test.Signed) { in.Body = strings.Repeat("x", 1<<20+1) }, 400, "EntityTooLarge"},
		"MissingKey":     {"Not there.", func(in *s3test.Signed) { in.Method, in.Path, in.Body = "GET", "/photos/missing", "" }, 404, "NoSuchKey"},
		"BadRange":       {"After the end.", func(in *s3test.Signed) { in.Method, in.Body, in.Before = "GET", "", set("Range", "bytes=10-20") }, 416, "InvalidRange"},
		"NoSuchUpload":   {"Not in progress.", func(in *s3test.Signed) { in.Method, in.Path, in.Body = "DELETE", "/photos/kept?uploadId=9", "" }, 404, "NoSuchUpload"},
		"NotTheETag":     {"A condition.", func(in *s3test.Signed) { in.Method, in.Body, in.Before = "GET", "", set("If-Match", `"other"`) }, 412, "PreconditionFailed"},
		"DeleteUnsummed": {"A digest is required.", func(in *s3test.Signed) { in.Method, in.Path, in.Body = "POST", "/photos?delete=", "<a/>" }, 400, "InvalidRequest"},
		"CompletePart":   {"Counted from 1.", func(in *s3test.Signed) { in.Method, in.Path, in.Body = "POST", "/photos/kept?uploadId=1", badPart }, 400, "InvalidArgument"},
		"CompleteNothing": {"An object of no parts.", func(in *s3test.Signed) {
			in.Method, in.Path, in.Body = "POST", "/photos/kept?uploadId=1", "<CompleteMultipartUpload/>"
		}, 400, "MalformedXML"},
		"CopyForeign": {"Its source is not granted.", func(in *s3test.Signed) { in.Body, in.Before = "", set("X-Amz-Copy-Source", "/other/k") }, 403, "AccessDenied"},
		"CopyNothing": {"Not a source.", func(in *s3test.Signed) { in.Body, in.Before = "", set("X-Amz-Copy-Source", "photos") }, 400, "InvalidArgument"},
		"ChunkedUnknown": {"What is not understood is not stored.", func(in *s3test.Signed) {
			in.Before = set("X-Amz-Content-Sha256", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD")
		}, 501, "NotImplemented"},
		"ChunkedNoLength": {"Required.", func(in *s3test.Signed) { in.Before = set("X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER") }, 411, "MissingContentLength"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := s3test.Signed{
				Method: "PUT", Path: "/photos/kept", Body: "new", Credentials: app,
				Region: s.Region(), Service: "s3", At: time.Now(),
			}
			tc.change(&in)
			status, body := in.Send(t, s)
			if got := s3test.Code(t, body); got != tc.want || status != tc.status {
				t.Errorf("%s\nanswer %d %s, want %d %s", tc.reason, status, got, tc.status, tc.want)
			}
		})
	}
	if got := s3test.Get(t, s.Client(t, app), "kept"); got != "kept" {
		t.Errorf("a rejected request has changed the object to %q", got)
	}
}

const badPart = `<CompleteMultipartUpload><Part><PartNumber>-1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>`

// credential changes one part of a presigned URL's credential scope.
func credential(part int, value string) func(url.Values) {
	return func(q url.Values) {
		scope := strings.Split(q.Get("X-Amz-Credential"), "/")
		scope[part] = value
		q.Set("X-Amz-Credential", strings.Join(scope, "/"))
	}
}

//nolint:lll // one case a line
func TestPresignedRejections(t *testing.T) {
	var late atomic.Int64 // nanoseconds
	s := s3test.Serve(t, s3test.Options{Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	s.Bucket(t, "photos")
	c := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")))
	s3test.Put(t, c, "k", "content")
	presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(),
		&s3.GetObjectInput{Bucket: new("photos"), Key: new("k")}, s3.WithPresignExpires(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		late   time.Duration
		change func(url.Values)
		header http.Header
		status int
		want   string
	}{
		"Expired":   {reason: "After its time.", late: 2 * time.Minute, status: 403, want: "AccessDenied"},
		"Early":     {reason: "Before its time.", late: -time.Hour, status: 403, want: "AccessDenied"},
		"Prolonged": {reason: "The expiry is signed.", change: func(q url.Values) { q.Set("X-Amz-Expires", "600") }, status: 403, want: "SignatureDoesNotMatch"},
		"TooLong":   {reason: "More than a week.", change: func(q url.Values) { q.Set("X-Amz-Expires", "604801") }, status: 400, want: "AuthorizationQueryParametersError"},
		"Incomplete": {
			reason: "All six parameters are needed.", change: func(q url.Values) { q.Del("X-Amz-Date") },
			status: 400, want: "AuthorizationQueryParametersError",
		},
		"WrongDay": {
			reason: "The scope is of another day.", status: 400, want: "AuthorizationQueryParametersError",
			change: credential(1, "20200101"),
		},
		"SignatureV2":    {reason: "Not supported.", change: func(q url.Values) { clear(q); q.Set("AWSAccessKeyId", "a") }, status: 400, want: "InvalidRequest"},
		"SignatureV4A":   {reason: "Not supported.", change: func(q url.Values) { q.Set("X-Amz-Algorithm", "AWS4-ECDSA-P256-SHA256") }, status: 400, want: "InvalidRequest"},
		"OddAlgorithm":   {reason: "Not an algorithm.", change: func(q url.Values) { q.Set("X-Amz-Algorithm", "AWS4") }, status: 400, want: "AuthorizationQueryParametersError"},
		"OtherService":   {reason: "Not S3's.", change: credential(3, "ec2"), status: 400, want: "AuthorizationQueryParametersError"},
		"OtherRegion":    {reason: "It is part of what is signed.", change: credential(2, "us-west-2"), status: 403, want: "SignatureDoesNotMatch"},
		"OtherKey":       {reason: "No account has it.", change: credential(0, "COSIUNKNOWN"), status: 403, want: "InvalidAccessKeyId"},
		"Token":          {reason: "The key is not a session's.", change: func(q url.Values) { q.Set("X-Amz-Security-Token", "t") }, status: 400, want: "InvalidToken"},
		"TwoMechanisms":  {reason: "Which one counts?", change: func(q url.Values) { q.Set("AWSAccessKeyId", "a") }, status: 400, want: "InvalidArgument"},
		"SignedBody":     {reason: "Its body would not be checked.", change: func(q url.Values) { q.Set("X-Amz-Content-Sha256", strings.Repeat("0", 64)) }, status: 501, want: "NotImplemented"},
		"UnsignedHeader": {reason: "CVE-2026-54330.", header: http.Header{"X-Amz-Copy-Source": {"/photos/k"}}, status: 403, want: "AccessDenied"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target, err := url.Parse(presigned.URL)
			if err != nil {
				t.Fatal(err)
			}
			query := target.Query()
			if tc.change != nil {
				tc.change(query)
			}
			target.RawQuery = query.Encode()
			late.Store(int64(tc.late))
			status, body := s3test.Send(t, http.MethodGet, target.String(), tc.header, "")
			if got := s3test.Code(t, body); got != tc.want || status != tc.status {
				t.Errorf("%s\nanswer %d %s, want %d %s", tc.reason, status, got, tc.status, tc.want)
			}
		})
	}
}
