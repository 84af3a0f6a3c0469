package protocol_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestEncryptionAndClass: settings without effect are recorded, and repeated in the same responses
// as in S3.
func TestEncryptionAndClass(t *testing.T) {
	a := s3test.NewApp(t)
	const encryption, class = "X-Amz-Server-Side-Encryption", "X-Amz-Storage-Class"
	check := func(what string, header http.Header, wantClass string) {
		t.Helper()
		want := []string{"AES256", wantClass}
		if diff := cmp.Diff(want, []string{header.Get(encryption), header.Get(class)}); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", what, diff)
		}
	}
	asked := []string{encryption, "AES256", class, "STANDARD_IA"}
	check("PutObject", a.Raw(http.MethodPut, "/put", "content", asked...).Header, "")
	check("CopyObject", a.Raw(http.MethodPut, "/copy", "", append(asked, "X-Amz-Copy-Source", "photos/put")...).Header, "")
	check("CreateMultipartUpload", a.Raw(http.MethodPost, "/parts?uploads", "", asked...).Header, "")
	u := a.Begin("parts", func(in *s3.CreateMultipartUploadInput) {
		in.ServerSideEncryption, in.StorageClass = "AES256", "STANDARD_IA"
	})
	target := "/parts?uploadId=" + *u.UploadId
	part := a.Raw(http.MethodPut, target+"&partNumber=1", "content")
	check("UploadPart", part.Header, "")
	if got := a.Raw(http.MethodGet, target, "").Body; !strings.Contains(got, "<StorageClass>STANDARD_IA</StorageClass>") {
		t.Errorf("ListParts answered %s", got)
	}
	check("CompleteMultipartUpload", a.Raw(http.MethodPost, target, `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>`+
		part.Header.Get("Etag")+`</ETag></Part></CompleteMultipartUpload>`).Header, "")
	for _, key := range []string{"put", "copy", "parts"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			check(method+" of "+key, a.Raw(method, "/"+key, "").Header, "STANDARD_IA")
		}
	}
	list, err := a.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket})
	a.Must(err)
	for _, object := range list.Contents {
		if object.StorageClass != "STANDARD_IA" || attributesOf(a, *object.Key).StorageClass != "STANDARD_IA" {
			t.Errorf("%s is listed with the class %s", *object.Key, object.StorageClass)
		}
	}
}

// TestCopyToItself: a copy to itself must change something; the name of an encryption counts.
func TestCopyToItself(t *testing.T) {
	a := s3test.NewApp(t)
	const encryption, class = "X-Amz-Server-Side-Encryption", "X-Amz-Storage-Class"
	a.Raw(http.MethodPut, "/put", "content", encryption, "AES256", class, "STANDARD_IA")
	got := a.Raw(http.MethodPut, "/put", "", "X-Amz-Copy-Source", "photos/put")
	if head := a.Raw(http.MethodHead, "/put", "").Header; got.Status != http.StatusOK || head.Get(class) != "" || head.Get(encryption) != "" {
		t.Errorf("a copy to itself with another class: answer %d, then %v", got.Status, head)
	}
}

func TestCopyToItselfEncrypted(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("put", "content")
	for range 2 { // the second changes nothing
		got := a.Raw(http.MethodPut, "/put", "", "X-Amz-Copy-Source", "photos/put", "X-Amz-Server-Side-Encryption", "AES256")
		if got.Status != http.StatusOK {
			t.Errorf("a copy to itself that names an encryption: answer %d", got.Status)
		}
	}
}

func TestPutACL(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	policy := func(id, permission string) string {
		return `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner><ID>app</ID></Owner><AccessControlList><Grant>` +
			`<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>` + id + `</ID></Grantee><Permission>` +
			permission + `</Permission></Grant></AccessControlList></AccessControlPolicy>`
	}
	tests := map[string]struct {
		reason string
		body   string
		header []string
		want   string
	}{
		"Private":   {"Says what is so anyway.", "", []string{"X-Amz-Acl", "private"}, ""},
		"OwnerFull": {"Says what is so anyway.", "", []string{"X-Amz-Acl", "bucket-owner-full-control"}, ""},
		"Same":      {"As it was read.", policy("app", "FULL_CONTROL"), nil, ""},
		"Public":    {"Grants decide.", "", []string{"X-Amz-Acl", "public-read"}, "AccessControlListNotSupported"},
		"Header":    {"Grants decide.", "", []string{"X-Amz-Grant-Read", "id=other"}, "AccessControlListNotSupported"},
		"Other":     {"Grants decide.", policy("other", "FULL_CONTROL"), nil, "AccessControlListNotSupported"},
		"Less":      {"The owner has all.", policy("app", "READ"), nil, "AccessControlListNotSupported"},
		"Nobody":    {"The owner has all.", "<AccessControlPolicy/>", nil, "AccessControlListNotSupported"},
		"Both":      {"Which one counts?", policy("app", "FULL_CONTROL"), []string{"X-Amz-Acl", "private"}, "InvalidRequest"},
		"Nothing":   {"There is no ACL.", "", nil, "MissingSecurityHeader"},
		"NoXML":     {"There is no ACL.", "x", nil, "MalformedACLError"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, target := range []string{"?acl", "/k?acl"} {
				got, found := a.In(t).Raw(http.MethodPut, target, tc.body, tc.header...), ""
				if got.Status != http.StatusOK {
					found = s3test.Code(t, got.Body)
				}
				if found != tc.want {
					t.Errorf("%s\nPUT %s answered %d %q, want %q", tc.reason, target, got.Status, found, tc.want)
				}
			}
		})
	}
	if got := a.Raw(http.MethodPut, "/missing?acl", "", "X-Amz-Acl", "private"); s3test.Code(t, got.Body) != "NoSuchKey" {
		t.Errorf("PutObjectAcl of nothing answered %d: %s", got.Status, got.Body)
	}
	acl, err := a.S3.GetObjectAcl(t.Context(), &s3.GetObjectAclInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	_, err = a.S3.PutObjectAcl(t.Context(), &s3.PutObjectAclInput{
		Bucket: a.Bucket, Key: new("k"), AccessControlPolicy: &types.AccessControlPolicy{Owner: acl.Owner, Grants: acl.Grants},
	})
	a.Rejected("what GetObjectAcl has returned", err, "")
}

// TestExpectedOwner: the owner is the account of the key.
func TestExpectedOwner(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	list, err := a.S3.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	a.Must(err)
	if *list.Owner.ID != "app" || *list.Owner.DisplayName != "app" {
		t.Errorf("ListBuckets() has the owner %q, %q; want the account", *list.Owner.ID, *list.Owner.DisplayName)
	}
	for owner, want := range map[string]int{*list.Owner.ID: http.StatusOK, "111122223333": http.StatusForbidden} {
		for _, header := range [][]string{
			{"X-Amz-Expected-Bucket-Owner", owner}, {"X-Amz-Copy-Source", "photos/k", "X-Amz-Source-Expected-Bucket-Owner", owner},
		} {
			if got := a.Raw(http.MethodPut, "/new", "", header...); got.Status != want {
				t.Errorf("%v: answer %d, want %d: %s", header, got.Status, want, got.Body)
			}
		}
	}
}

// TestNothingConfigured reads the settings that SDKs and tools read of any bucket.
func TestNothingConfigured(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	tests := map[string]struct {
		reason, target string
		status         int
		want           string // the document, or the code of an error
	}{
		"Notification": {"Nobody is notified.", "?notification", 200, "NotificationConfiguration"},
		"Logging":      {"Nothing is logged to a bucket.", "?logging", 200, "BucketLoggingStatus"},
		"Accelerate":   {"Never configured.", "?accelerate", 200, "AccelerateConfiguration"},
		"PolicyStatus": {"There is no policy.", "?policyStatus", 404, "NoSuchBucketPolicy"},
		"Retention":    {"There is no lock.", "/k?retention", 400, "InvalidRequest"},
		"LegalHold":    {"There is no lock.", "/k?legal-hold", 400, "InvalidRequest"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.In(t).Raw(http.MethodGet, tc.target, "")
			want := "<" + tc.want + ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></` + tc.want + ">"
			if tc.status != http.StatusOK {
				want = "<Code>" + tc.want + "</Code>"
			}
			if got.Status != tc.status || !strings.Contains(got.Body, want) {
				t.Errorf("%s\nanswer %d, want %d %s: %s", tc.reason, got.Status, tc.status, tc.want, got.Body)
			}
		})
	}
}
