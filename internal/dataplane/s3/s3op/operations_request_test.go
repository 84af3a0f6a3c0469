package s3op_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

const taggingDocument = `<Tagging><TagSet><Tag><Key>new</Key><Value>1</Value></Tag></TagSet></Tagging>`

const corsDocument = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>` +
	`<AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`

// bodies are the documents that operations need; every other upload has one that must not be
// stored.
var bodies = map[string]string{
	"CreateBucket": "", "CopyObject": "", "UploadPartCopy": "", "CreateMultipartUpload": "",
	"DeleteObjects":              `<Delete><Object><Key>k</Key></Object></Delete>`,
	"PutBucketAcl":               "",
	"PutObjectLockConfiguration": `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`,
	"PutObjectAcl":               "",
	"PutBucketTagging":           taggingDocument,
	"PutObjectTagging":           taggingDocument,
	"PutObjectLegalHold":         `<LegalHold><Status>ON</Status></LegalHold>`,
	"PutObjectRetention":         `<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2100-01-01T00:00:00Z</RetainUntilDate></Retention>`,
	"PutBucketVersioning":        `<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>`,
	"PutBucketCors":              corsDocument,
}

func (g *stage) request(row documented, credentials fakedriver.Credentials) s3test.Signed {
	path := map[s3op.Level]string{s3op.Service: "/", s3op.Bucket: "/" + g.bucket, s3op.Object: "/" + g.bucket + "/k"}[row.Level]
	in := s3test.Signed{
		Method: row.Method, Path: path + g.query(row), Body: g.body(row), Credentials: credentials,
		Region: g.Region(), Service: "s3", At: time.Now(),
	}
	in.Before = func(r *http.Request) {
		if row.CopySource {
			r.Header.Set("X-Amz-Copy-Source", g.bucket+"/k")
		}
		if slices.ContainsFunc(s3op.Table(), func(op s3op.Operation) bool { return op.Name == row.Name && op.Digest }) {
			r.Header.Set("Content-Md5", s3test.MD5Of(g.body(row)))
		}
		switch row.Name {
		case "CopyObject":
			r.Header.Set("X-Amz-Metadata-Directive", "REPLACE") // an object is copied to itself
		case "PutBucketAcl", "PutObjectAcl":
			r.Header.Set("X-Amz-Acl", "private")
		case "GetObjectAttributes":
			r.Header.Set("X-Amz-Object-Attributes", "ETag,ObjectSize")
		case "Preflight":
			r.Header.Set("Origin", "http://localhost:3000")
			r.Header.Set("Access-Control-Request-Method", http.MethodGet)
		}
	}
	return in
}

func (g *stage) query(row documented) string {
	known := map[string]string{"list-type": "2", "select-type": "2", "uploadId": g.upload, "partNumber": "1", "id": "x", "annotationName": "x"}
	query := url.Values{}
	for _, name := range row.Selects {
		query.Set(name, known[name])
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (g *stage) body(row documented) string {
	if row.Name == "CompleteMultipartUpload" {
		return `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>` + g.part + `</ETag></Part></CompleteMultipartUpload>`
	}
	if body, ok := bodies[row.Name]; ok || (row.Method != http.MethodPut && row.Method != http.MethodPost) {
		return body
	}
	return "<hostile/>"
}

type answerKind string

const (
	let           answerKind = "allowed"
	denial        answerKind = "denied"
	unimplemented answerKind = "not implemented"
)

// send sends the request of a row. PostObject is signed by the fields of a form.
func (g *stage) send(t *testing.T, row documented, credentials fakedriver.Credentials) (int, string) {
	t.Helper()
	if row.Name == "PostObject" {
		return s3test.Do(t, g.Form(g.bucket, credentials).Request(t.Context(), t, g.URL))
	}
	return g.request(row, credentials).Send(t, g.Server)
}

// ask sends the request of a row.
func (g *stage) ask(t *testing.T, row documented, credentials fakedriver.Credentials) answerKind {
	t.Helper()
	status, body := g.send(t, row, credentials)
	found := fmt.Sprint(status)
	if row.Method != http.MethodHead && status >= http.StatusMultipleChoices {
		found += " " + s3test.Code(t, body)
	}
	if row.Name == "CreateBucket" && strings.HasPrefix(found, "409 BucketAlready") {
		return denial // with the owner of the bucket
	}
	if slices.Contains(unconfigured, found) {
		return let
	}
	is, ok := map[string]answerKind{
		"200": let, "204": let, "403": denial, "403 AccessDenied": denial, "501 NotImplemented": unimplemented,
	}[found]
	if !ok {
		t.Errorf("%s answered %d: %s", row.Name, status, body)
	}
	return is
}

// unconfigured are the responses for features that no bucket has.
var unconfigured = []string{
	"404 NoSuchCORSConfiguration", "404 ServerSideEncryptionConfigurationNotFoundError", "404 NoSuchLifecycleConfiguration",
	"404 OwnershipControlsNotFoundError", "404 NoSuchBucketPolicy", "404 ReplicationConfigurationNotFoundError",
	"403 AccessForbidden",
	"404 NoSuchWebsiteConfiguration", "404 NoSuchObjectLockConfiguration", "404 NoSuchPublicAccessBlockConfiguration",
}
