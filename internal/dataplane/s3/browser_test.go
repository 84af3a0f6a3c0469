package s3_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/browser"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// page is a page of another origin. Its script prints the responses that fetch can read.
const page = `<!doctype html><meta charset="utf-8"><title>page</title><link rel="icon" href="data:,">
<form id="upload" method="post" enctype="multipart/form-data"></form>
<script>
async function ask(url, options) {
	try {
		const answer = await fetch(url, options);
		const text = await answer.text();
		const code = (text.match(/<Code>(.*?)<\/Code>/) || [, text])[1];
		return [answer.status, code, answer.headers.get('x-amz-meta-colour'), answer.headers.get('etag') !== null].join(' ');
	} catch (e) {
		return 'blocked';
	}
}
async function post(url, fields, content) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new File([content], 'cat.jpg'));
	return ask(url, {method: 'POST', body: form});
}
function submit(url, fields) {
	const form = document.getElementById('upload');
	form.action = url;
	for (const [name, value] of Object.entries(fields)) {
		const input = document.createElement('input');
		input.type = 'hidden';
		[input.name, input.value] = [name, value];
		form.append(input);
	}
	const files = new DataTransfer();
	files.items.add(new File(['from a form'], 'dog.jpg'));
	const file = document.createElement('input');
	[file.type, file.name] = ['file', 'file'];
	form.append(file);
	file.files = files.files;
	form.submit();
}
</script>`

// TestBrowser makes Chromium use a bucket from a page of another origin, with presigned URLs and
// with forms.
func TestBrowser(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(pages.Close)
	b := browser.Start(t)
	for name, origins := range map[string][]string{"Configuration": nil, "Option": {pages.URL}} {
		t.Run(name, func(t *testing.T) {
			b := b.For(t)
			s := s3test.Serve(t, s3test.Options{CORSOrigins: origins})
			s.Bucket(t, "photos")
			key := s.Account(t, "app", s3test.AllAccess("photos"))
			a := &s3test.App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("photos"), Key: key}
			b.Open(pages.URL + "/")
			if origins == nil {
				expectBlocked(a, b)
				a.Must(setCORS(a, []types.CORSRule{{
					AllowedOrigins: []string{pages.URL}, AllowedMethods: []string{"GET", "PUT", "POST"}, AllowedHeaders: []string{"*"},
					ExposeHeaders: []string{"ETag", "x-amz-meta-colour"},
				}}))
			}
			expectUsable(a, b)
			expectForms(a, b, pages.URL)
		})
	}
}

// expectBlocked: by default, pages have no access.
func expectBlocked(a *s3test.App, b *browser.Browser) {
	a.Helper()
	link, err := s3.NewPresignClient(a.S3).PresignGetObject(a.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	if got := b.Eval(fmt.Sprintf("ask(%q)", link.URL)); got != "blocked" {
		a.Errorf("without a configuration: %v", got)
	}
}

// expectUsable: a page puts and gets with presigned URLs, and may read errors.
func expectUsable(a *s3test.App, b *browser.Browser) {
	a.Helper()
	presign := s3.NewPresignClient(a.S3)
	upload, err := presign.PresignPutObject(a.Context(), &s3.PutObjectInput{
		Bucket: a.Bucket, Key: new("k"), Metadata: map[string]string{"colour": "red"}, ContentType: new("text/plain"),
	})
	a.Must(err)
	download, err := presign.PresignGetObject(a.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	const headers = "{'x-amz-meta-colour': 'red', 'content-type': 'text/plain'}"
	put := fmt.Sprintf("ask(%q, {method: 'PUT', body: 'from a page', headers: %s})", upload.URL, headers)
	got := []any{
		b.Eval(put), b.Eval(fmt.Sprintf("ask(%q)", download.URL)), b.Eval(fmt.Sprintf("ask(%q)", download.URL+"0")),
		b.Eval(fmt.Sprintf("ask(%q)", a.Store.URL+"/photos/k")),
	}
	want := []any{"200   true", "200 from a page red true", "403 SignatureDoesNotMatch  false", "403 AccessDenied  false"}
	if diff := cmp.Diff(want, got); diff != "" {
		a.Errorf("put, get, get with a wrong signature, get without one: -want, +got:\n%s", diff)
	}
}

// expectForms: a script posts a form, and a page that is sent to the bucket comes back.
func expectForms(a *s3test.App, b *browser.Browser, home string) {
	a.Helper()
	f := a.Form()
	f.Fields["success_action_status"] = "201"
	if got := b.Eval(fmt.Sprintf("post(%q, %s, 'from a script').then(t => t.slice(0, 3))", a.Store.URL+"/photos", f.Script())); got != "201" {
		a.Errorf("a form of a script: %v", got)
	}
	f = a.Form()
	f.Fields["success_action_redirect"] = home + "/done"
	b.Eval(fmt.Sprintf("submit(%q, %s), 0", a.Store.URL+"/photos", f.Script()))
	b.Await("location.pathname === '/done' && new URLSearchParams(location.search).get('key') === 'uploads/dog.jpg'")
	for key, want := range map[string]string{"uploads/cat.jpg": "from a script", "uploads/dog.jpg": "from a form"} {
		if got, _ := a.Read(key, ""); got != want {
			a.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
