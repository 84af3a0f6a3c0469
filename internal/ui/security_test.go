package ui_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

// maxPage is the maximum size of the page, in bytes.
const maxPage = 300 << 10

func TestDocument(t *testing.T) {
	s := start(t, emulator.Options{})
	page := send(t, http.MethodGet, s.url, nil)
	if page.code != http.StatusOK || len(page.body) > maxPage {
		t.Errorf("status %d, %d bytes, want at most %d", page.code, len(page.body), maxPage)
	}
	for _, loads := range []string{"<link", "src=", "@import", "url(", "http-equiv", "style=\""} {
		if strings.Contains(page.body, loads) {
			t.Errorf("the page has %q, and must need nothing else", loads)
		}
	}
	policy := page.header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	for _, weak := range []string{"unsafe", "*", "http:", "data:"} {
		if strings.Contains(policy, weak) {
			t.Errorf("the policy has %q: %s", weak, policy)
		}
	}
	published, err := instance.Get(sessionName)
	if err != nil || published.UI != s.url {
		t.Errorf("other processes read the URL %q, %v; want %q", published.UI, err, s.url)
	}
}

func TestGuard(t *testing.T) {
	s := start(t, emulator.Options{})
	page, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Host = name }
	}
	for _, c := range []struct {
		name   string
		method string
		path   string
		change func(*http.Request)
		want   int
	}{
		{"the page", http.MethodGet, page.Path, nil, http.StatusOK},
		{"from itself", http.MethodGet, page.Path, header("Origin", "http://"+page.Host), http.StatusOK},
		{"by its other name", http.MethodGet, page.Path, host("localhost:" + page.Port()), http.StatusOK},
		{"without token", http.MethodGet, "/", nil, http.StatusForbidden},
		{"with another token", http.MethodGet, "/ABCDEFGHIJKLMNOPQRSTUVWXYZ/", nil, http.StatusForbidden},
		{"with a part of the token", http.MethodGet, page.Path[:9] + "/", nil, http.StatusForbidden},
		{"by a name that resolves to loopback", http.MethodGet, page.Path, host("evil.example"), http.StatusMisdirectedRequest},
		{"at another port", http.MethodGet, page.Path, host("127.0.0.1:1"), http.StatusMisdirectedRequest},
		{"from another page", http.MethodDelete, page.Path + "faults", header("Origin", "https://evil.example"), http.StatusForbidden},
		{"from a file", http.MethodDelete, page.Path + "faults", header("Origin", "null"), http.StatusForbidden},
		{"from another port", http.MethodDelete, page.Path + "faults", header("Origin", "http://127.0.0.1:1"), http.StatusForbidden},
		{"by another scheme", http.MethodDelete, page.Path + "faults", header("Origin", "https://"+page.Host), http.StatusForbidden},
		{"as an image", http.MethodGet, page.Path, header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"as an image of another port", http.MethodGet, page.Path, header("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		{"from the address bar", http.MethodGet, page.Path, header("Sec-Fetch-Site", "none"), http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := send(t, c.method, "http://"+page.Host+c.path, c.change)
			if got.code != c.want {
				t.Errorf("status %d, want %d: %s", got.code, c.want, got.body)
			}
			if got.header.Get("Content-Security-Policy") == "" || got.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("headers %v", got.header)
			}
		})
	}
}

// attack attacks the page at an address like a page of another origin, and returns its results. It
// even knows the token.
const attack = `async page => {
  const got = {};
  const attempt = async (name, action) => { try { got[name] = await action(); } catch (e) { got[name] = e.name; } };
  const fault = JSON.stringify({name: 'theirs', match: {seam: 'api'}, effect: {fail: 'Conflict'}});
  await attempt('read', async () => (await fetch(page)).status);
  const json = {'Content-Type': 'application/json'};
  await attempt('send', async () => (await fetch(page + 'faults', {method: 'POST', body: fault, headers: json})).status);
  await attempt('delete', async () => (await fetch(page + 'faults', {method: 'DELETE'})).status);
  await attempt('send blindly', async () => (await fetch(page + 'faults', {method: 'POST', body: fault, mode: 'no-cors'})).type);
  await attempt('crash blindly', async () => (await fetch(page + 'component?name=driver&do=stop', {method: 'POST', mode: 'no-cors'})).type);
  await attempt('stream', () => new Promise(done => {
    const source = new EventSource(page + 'stream');
    source.onmessage = () => done('message');
    source.onerror = () => { source.close(); done('error'); };
  }));
  await attempt('frame', () => new Promise(done => {
    const frame = document.createElement('iframe');
    frame.onload = () => { try { done(frame.contentDocument ? 'document' : 'nothing'); } catch { done('nothing'); } };
    frame.src = page;
    document.body.append(frame);
  }));
  await attempt('script', () => new Promise(done => {
    const script = document.createElement('script');
    script.onload = () => done('ran');
    script.onerror = () => done('error');
    script.src = page + 'scenario.yaml';
    document.body.append(script);
  }));
  await attempt('form', () => new Promise(done => {
    const frame = document.createElement('iframe');
    frame.name = 'target';
    document.body.append(frame);
    const form = document.createElement('form');
    form.method = 'post'; form.target = 'target'; form.enctype = 'text/plain'; form.action = page + 'component?name=driver&do=stop';
    document.body.append(form);
    frame.onload = () => done('sent');
    form.submit();
  }));
  return got;
}`

func TestForeignOrigin(t *testing.T) {
	s := start(t, emulator.Options{})
	if err := s.emu.Faults().Add(aFault("ours")); err != nil {
		t.Fatal(err)
	}
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>another page</title><body>"))
	}))
	t.Cleanup(evil.Close)
	b := browser.Start(t)
	before := s.emu.Journal().Mark()
	b.Open(evil.URL)
	got := b.Eval("(" + attack + ")('" + s.url + "')")
	want := map[string]any{
		"read": "TypeError", "send": "TypeError", "delete": "TypeError", "send blindly": "TypeError", "crash blindly": "TypeError",
		"stream": "error", "frame": "nothing", "script": "error", "form": "sent",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("another page gets: -want, +got:\n%s", diff)
	}
	for _, e := range s.emu.Journal().Since(before) {
		if e.Seam == "process" {
			t.Errorf("the other page has changed a component: %s", e)
		}
	}
	names := []string{}
	for _, f := range s.emu.Faults().List() {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"ours"}, names); diff != "" {
		t.Errorf("the other page has changed the faults: -want, +got:\n%s", diff)
	}
}
