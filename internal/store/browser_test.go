package store_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/browser"
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
			s := serve(t, store.Options{CORSOrigins: origins})
			s.bucket(t, "photos")
			key := s.account(t, "app", allAccess("photos"))
			a := &app{T: t, store: s, s3: s.client(t, key), bucket: ptr("photos"), key: key}
			b.Open(pages.URL + "/")
			if origins == nil {
				a.expectBlocked(b)
				a.must(a.setCORS([]types.CORSRule{{
					AllowedOrigins: []string{pages.URL}, AllowedMethods: []string{"GET", "PUT", "POST"}, AllowedHeaders: []string{"*"},
					ExposeHeaders: []string{"ETag", "x-amz-meta-colour"},
				}}))
			}
			a.expectUsable(b)
			a.expectForms(b, pages.URL)
		})
	}
}

// expectBlocked: by default, pages have no access.
func (a *app) expectBlocked(b *browser.Browser) {
	a.Helper()
	link, err := s3.NewPresignClient(a.s3).PresignGetObject(a.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k")})
	a.must(err)
	if got := b.Eval(fmt.Sprintf("ask(%q)", link.URL)); got != "blocked" {
		a.Errorf("without a configuration: %v", got)
	}
}

// expectUsable: a page puts and gets with presigned URLs, and may read errors.
func (a *app) expectUsable(b *browser.Browser) {
	a.Helper()
	presign := s3.NewPresignClient(a.s3)
	upload, err := presign.PresignPutObject(a.Context(), &s3.PutObjectInput{
		Bucket: a.bucket, Key: ptr("k"), Metadata: map[string]string{"colour": "red"}, ContentType: ptr("text/plain"),
	})
	a.must(err)
	download, err := presign.PresignGetObject(a.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k")})
	a.must(err)
	const headers = "{'x-amz-meta-colour': 'red', 'content-type': 'text/plain'}"
	put := fmt.Sprintf("ask(%q, {method: 'PUT', body: 'from a page', headers: %s})", upload.URL, headers)
	got := []any{
		b.Eval(put), b.Eval(fmt.Sprintf("ask(%q)", download.URL)), b.Eval(fmt.Sprintf("ask(%q)", download.URL+"0")),
		b.Eval(fmt.Sprintf("ask(%q)", a.store.url+"/photos/k")),
	}
	want := []any{"200   true", "200 from a page red true", "403 SignatureDoesNotMatch  false", "403 AccessDenied  false"}
	if diff := cmp.Diff(want, got); diff != "" {
		a.Errorf("put, get, get with a wrong signature, get without one: -want, +got:\n%s", diff)
	}
}

// expectForms: a script posts a form, and a page that is sent to the bucket comes back.
func (a *app) expectForms(b *browser.Browser, home string) {
	a.Helper()
	f := a.form()
	f.fields["success_action_status"] = "201"
	if got := b.Eval(fmt.Sprintf("post(%q, %s, 'from a script').then(t => t.slice(0, 3))", a.store.url+"/photos", f.script())); got != "201" {
		a.Errorf("a form of a script: %v", got)
	}
	f = a.form()
	f.fields["success_action_redirect"] = home + "/done"
	b.Eval(fmt.Sprintf("submit(%q, %s), 0", a.store.url+"/photos", f.script()))
	b.Await("location.pathname === '/done' && new URLSearchParams(location.search).get('key') === 'uploads/dog.jpg'")
	for key, want := range map[string]string{"uploads/cat.jpg": "from a script", "uploads/dog.jpg": "from a form"} {
		if got, _ := a.read(key, ""); got != want {
			a.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
