package authentication_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"hash/crc32"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestForm(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	f := a.Form()
	f.Fields = map[string]string{
		"Content-Type": "image/jpeg", "Cache-Control": "no-cache", "Content-Disposition": "inline", "Content-Encoding": "x-none",
		"x-amz-meta-colour": "grün", "x-amz-storage-class": "STANDARD_IA", "x-amz-server-side-encryption": "AES256", "acl": "private",
		"x-amz-website-redirect-location": "/elsewhere", "x-ignore-me": "1", "success_action_status": "201",
		"tagging":              "<Tagging><TagSet><Tag><Key>a + b</Key><Value>1=2</Value></Tag></TagSet></Tagging>",
		"x-amz-checksum-crc32": crc32Of("meow"), "Content-MD5": "SkvkDJasYxTpHZPzgEOmNA==",
	}
	got := a.Post(f)
	var document struct {
		XMLName  xml.Name `xml:"PostResponse"`
		Location string   `xml:"Location"`
		Bucket   string   `xml:"Bucket"`
		Key      string   `xml:"Key"`
		ETag     string   `xml:"ETag"`
	}
	a.Must(xml.Unmarshal([]byte(got.Body), &document))
	document.XMLName = xml.Name{}
	location := a.Store.URL + "/photos/uploads/cat.jpg"
	want := document
	want.Location, want.Bucket, want.Key, want.ETag = location, "photos", "uploads/cat.jpg", got.Header.Get("Etag")
	if diff := cmp.Diff(want, document); diff != "" || got.Status != http.StatusCreated || got.Header.Get("Location") != location {
		t.Errorf("answer %d with %v; -want, +got:\n%s", got.Status, got.Header, diff)
	}
	content, out := a.Read("uploads/cat.jpg", got.Header.Get("X-Amz-Version-Id"))
	head := a.Head("uploads/cat.jpg", "")
	tags, err := a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("uploads/cat.jpg")})
	a.Must(err)
	stored := []string{
		content, *out.ETag, *out.ContentType, *out.CacheControl, *out.ContentDisposition, *out.ContentEncoding, out.Metadata["colour"],
		string(out.StorageClass), string(out.ServerSideEncryption), *out.WebsiteRedirectLocation, *head.ChecksumCRC32,
		strings.Join(s3test.DescribeTags(tags.TagSet), ","),
	}
	wanted := []string{
		"meow", got.Header.Get("Etag"), "image/jpeg", "no-cache", "inline", "x-none", "=?UTF-8?b?Z3LDvG4=?=", "STANDARD_IA", "AES256",
		"/elsewhere", crc32Of("meow"), "a + b=1=2",
	}
	if diff := cmp.Diff(wanted, stored); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func crc32Of(content string) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(content))))
}

// TestFormSuccess: the response to a browser.
//
//nolint:lll // one case a line
func TestFormSuccess(t *testing.T) {
	a := s3test.NewApp(t)
	tests := map[string]struct {
		reason string
		fields map[string]string
		status int
		query  url.Values // of the address that the browser is sent to
		host   string
	}{
		"Default":   {reason: "No content.", status: 204},
		"Status":    {reason: "Asked for.", fields: map[string]string{"success_action_status": "200"}, status: 200},
		"NoContent": {reason: "Asked for.", fields: map[string]string{"success_action_status": "204"}, status: 204},
		"Created":   {reason: "With a document.", fields: map[string]string{"success_action_status": "201"}, status: 201},
		"Odd":       {reason: "S3 ignores it.", fields: map[string]string{"success_action_status": "302"}, status: 204},
		"Redirect": {
			reason: "The page is told what was stored.", fields: map[string]string{"success_action_redirect": "http://localhost:3000/done?a=b"},
			status: 303, host: "localhost:3000",
			query: url.Values{"a": {"b"}, "bucket": {"photos"}, "key": {"uploads/cat.jpg"}, "etag": {`"4a4be40c96ac6314e91d93f38043a634"`}},
		},
		"OldRedirect": {
			reason: "Its name of before.", fields: map[string]string{"redirect": "https://localhost/"}, status: 303, host: "localhost",
			query: url.Values{"bucket": {"photos"}, "key": {"uploads/cat.jpg"}, "etag": {`"4a4be40c96ac6314e91d93f38043a634"`}},
		},
		"Both": {
			reason: "Redirection wins.", status: 303, host: "b",
			fields: map[string]string{"success_action_redirect": "http://b", "success_action_status": "201", "redirect": "http://a"},
			query:  url.Values{"bucket": {"photos"}, "key": {"uploads/cat.jpg"}, "etag": {`"4a4be40c96ac6314e91d93f38043a634"`}},
		},
		"NoURL":  {reason: "S3 ignores it.", fields: map[string]string{"success_action_redirect": "nowhere"}, status: 204},
		"Script": {reason: "Browsers are sent to pages only.", fields: map[string]string{"success_action_redirect": "javascript://a/%0aalert(1)"}, status: 204},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := a.Form()
			f.Fields = tc.fields
			got := a.In(t).Post(f)
			if got.Status != tc.status || (got.Body != "") != (tc.status == 201) {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
			if tc.host == "" {
				return
			}
			u, err := url.Parse(got.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.query, u.Query()); diff != "" || u.Host != tc.host {
				t.Errorf("%s\nLocation %s; -want, +got:\n%s", tc.reason, u, diff)
			}
		})
	}
}

// TestFormOfSDK: a form of the Go SDK, and one of the JavaScript SDK, whose createPresignedPost
// adds the bucket to the fields.
func TestFormOfSDK(t *testing.T) {
	a := s3test.NewApp(t)
	signed, err := s3.NewPresignClient(a.S3).PresignPostObject(t.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: new("sdk")},
		func(o *s3.PresignPostOptions) {
			o.Expires = time.Minute
			o.Conditions = []any{[]any{"content-length-range", 1, 10}}
		})
	a.Must(err)
	js := a.Form()
	js.Key, js.Fields["bucket"] = "js", "photos"
	js.Conditions = []any{map[string]string{"key": "js"}}
	renamed := map[string]string{
		"policy": "Policy", "x-amz-signature": "X-Amz-Signature", "x-amz-algorithm": "X-Amz-Algorithm",
		"x-amz-credential": "X-Amz-Credential", "x-amz-date": "X-Amz-Date",
	}
	js.Change = func(all []s3test.FormField) []s3test.FormField {
		for i := range all {
			if name, ok := renamed[all[i].Name]; ok {
				all[i].Name = name
			}
		}
		return all
	}
	if got := a.Post(js); got.Status != http.StatusNoContent {
		t.Errorf("JavaScript: answer %d: %s", got.Status, got.Body)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range signed.Values {
		a.Must(w.WriteField(name, value))
	}
	part, err := w.CreateFormFile("file", "x")
	a.Must(err)
	_, err = part.Write([]byte("content"))
	a.Must(err)
	a.Must(w.Close())
	kind := http.Header{"Content-Type": {w.FormDataContentType()}}
	if status, text := s3test.Send(t, http.MethodPost, signed.URL, kind, body.String()); status != http.StatusNoContent {
		t.Errorf("Go: answer %d: %s", status, text)
	}
	for key, want := range map[string]string{"sdk": "content", "js": "meow"} {
		if got, _ := a.Read(key, ""); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// TestFormVirtualHost: the bucket is in the host.
func TestFormVirtualHost(t *testing.T) {
	a := s3test.NewApp(t)
	f := a.Form()
	f.Path, f.Fields["success_action_status"] = "/", "201"
	r := f.Request(t.Context(), t, a.Store.URL)
	r.Host = "photos.s3.localhost:9000"
	got := s3test.Exchange(t, r)
	if want := "<Location>http://photos.s3.localhost:9000/uploads/cat.jpg</Location>"; got.Status != http.StatusCreated || !strings.Contains(got.Body, want) {
		t.Errorf("answer %d: %s", got.Status, got.Body)
	}
}

// TestFormOfSession: a session's key signs, with its token, which a condition must name.
func TestFormOfSession(t *testing.T) {
	s := s3test.ServiceAccount(t, s3test.Options{})
	a := &s3test.App{T: t, Store: s, Bucket: new("photos")}
	session := beginSession(t, s)
	a.Key = session.Credentials
	f := a.Form()
	if got := a.Post(f); s3test.Code(t, got.Body) != "InvalidAccessKeyId" {
		t.Errorf("without a token: answer %d: %s", got.Status, got.Body)
	}
	f.Token = session.token
	if got := a.Post(f); got.Status != http.StatusNoContent {
		t.Errorf("answer %d: %s", got.Status, got.Body)
	}
	f.Change = s3test.ReplaceField("x-amz-security-token", "other")
	if got := a.Post(f); s3test.Code(t, got.Body) != "InvalidToken" {
		t.Errorf("with another token: answer %d: %s", got.Status, got.Body)
	}
}

// TestFormStored expects a form to note its object: only its body has the key.
func TestFormStored(t *testing.T) {
	stored := make(chan string, 1)
	s := s3test.Serve(t, s3test.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := ""
			next.ServeHTTP(w, r.WithContext(httpserver.WithStored(r.Context(), &key)))
			stored <- key
		})
	}})
	s.Bucket(t, "photos")
	key := s.Account(t, "app", s3test.AllAccess("photos"))
	a := &s3test.App{T: t, Store: s, Bucket: new("photos"), Key: key}
	if got := a.Post(a.Form()); got.Status != http.StatusNoContent {
		t.Fatalf("status %d: %s", got.Status, got.Body)
	}
	if got := <-stored; got != "uploads/cat.jpg" {
		t.Errorf("stored %q", got)
	}
}
