package azure_test

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

// resigned returns a signature with another parameter, signed with the key.
func (a access) resigned(secret, name, value string) access {
	token := maps.Clone(a.token)
	token.Set(name, value)
	token.Set("sig", sas.Sign(sas.Account(a.container), a.container, token, secret))
	return access{a.f, a.container, token}
}

// changed returns a signature with another parameter, which is not signed.
func (a access) changed(name string, values ...string) access {
	token := maps.Clone(a.token)
	token[name] = values
	return access{a.f, a.container, token}
}

// TestSignature: time, protocol, address and permissions of a signature are enforced.
func TestSignature(t *testing.T) {
	f := serve(t, azure.Options{})
	key := f.account(t, "ba-all", everything("photos"))
	a := f.signed("photos", key, all)
	a.put(t, "a", "content")
	now := time.Now().UTC()
	at := func(d time.Duration, layout string) string { return now.Add(d).Format(layout) }
	tests := map[string]struct{ name, value, want string }{
		"Future start":     {"st", at(time.Hour, time.RFC3339), "AuthenticationFailed"},
		"Past start":       {"st", at(-time.Hour, time.RFC3339), "OK"},
		"Past end":         {"se", at(-time.Minute, time.RFC3339), "AuthenticationFailed"},
		"Future end":       {"se", at(time.Hour, time.RFC3339), "OK"},
		"End in minutes":   {"se", at(time.Hour, "2006-01-02T15:04Z"), "OK"},
		"End on a day":     {"se", at(48*time.Hour, time.DateOnly), "OK"},
		"Oldest end":       {"se", "0001-01-01T00:00:00Z", "AuthenticationFailed"},
		"No time":          {"se", "tomorrow", "AuthenticationFailed"},
		"HTTPS only":       {"spr", "https", "AuthorizationProtocolMismatch"},
		"Both":             {"spr", "https,http", "OK"},
		"Any protocol":     {"spr", "", "OK"},
		"Address":          {"sip", "127.0.0.1", "OK"},
		"Range":            {"sip", "127.0.0.0-127.0.0.9", "OK"},
		"Other address":    {"sip", "127.0.0.2", "AuthorizationSourceIPMismatch"},
		"Other range":      {"sip", "127.0.0.2-127.0.0.9", "AuthorizationSourceIPMismatch"},
		"No address":       {"sip", "localhost", "AuthorizationSourceIPMismatch"},
		"Write only":       {"sp", "w", "AuthorizationPermissionMismatch"},
		"No permission":    {"sp", "", "AuthorizationPermissionMismatch"},
		"Blob":             {"sr", "b", "AuthenticationFailed"},
		"Unknown policy":   {"si", "AKIAUNKNOWN", "AuthenticationFailed"},
		"Content type":     {"rsct", "text/plain", "OK"},
		"Encryption scope": {"ses", "scope", "UnsupportedQueryParameter"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := a.resigned(key.SecretAccessKey, tc.name, tc.value).do(t, http.MethodGet, "a", "", ""); got.code() != tc.want {
				t.Errorf("%s=%s: %d %s, want %s", tc.name, tc.value, got.status, got.code(), tc.want)
			}
			if tc.value == a.token.Get(tc.name) {
				return
			}
			if got := a.changed(tc.name, tc.value).do(t, http.MethodGet, "a", "", ""); tc.value != "" && got.code() != "AuthenticationFailed" {
				t.Errorf("%s=%s, not signed: %d %s", tc.name, tc.value, got.status, got.code())
			}
		})
	}
}

// TestResponseHeaders: a signature can replace headers of the response.
func TestResponseHeaders(t *testing.T) {
	f := serve(t, azure.Options{})
	key := f.account(t, "ba-all", everything("photos"))
	a := f.signed("photos", key, all)
	a.put(t, "a", "content", "Content-Type: text/plain")
	signed := a.resigned(key.SecretAccessKey, "rsct", "image/png").resigned(key.SecretAccessKey, "rscd", "attachment")
	got := signed.do(t, http.MethodGet, "a", "", "").header
	if got.Get("Content-Type") != "image/png" || got.Get("Content-Disposition") != "attachment" {
		t.Errorf("the response has %v", got)
	}
}

// TestRevocation: a signature ends with its access, at once, and with a rotation of the key. A body
// in transfer then changes nothing.
func TestRevocation(t *testing.T) {
	f := serve(t, azure.Options{})
	admin := f.access(t)
	admin.put(t, "a", "content")
	for name, end := range map[string]func() error{
		"Revoked": func() error { return f.store.DeleteAccount(t.Context(), owner, "ba-app") },
		"Rotated": func() error {
			_, err := f.store.RotateAccount(t.Context(), owner, "ba-app")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.signed("photos", f.account(t, "ba-app", everything("photos")), all)
			if got := a.content(t, "a"); got != "content" {
				t.Errorf("before: %q", got)
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			for _, r := range routes() {
				if got := a.try(t, r, admin); got.code() != "AuthenticationFailed" {
					t.Errorf("afterwards: %s: %d %s", r, got.status, got.code())
				}
			}
		})
	}
	if got := admin.content(t, "a"); got != "content" {
		t.Errorf("the blob is %q", got)
	}
}

// TestHeaders: every response has the headers of Azure, and every error its document.
func TestHeaders(t *testing.T) {
	f := serve(t, azure.Options{})
	a := f.access(t)
	a.put(t, "a", "content")
	for what, got := range map[string]response{
		"OK":         a.do(t, http.MethodGet, "a", "", "", "x-ms-client-request-id: mine"),
		"an error":   a.do(t, http.MethodGet, "none", "", "", "x-ms-client-request-id: mine"),
		"HEAD":       a.do(t, http.MethodHead, "none", "", "", "x-ms-client-request-id: mine"),
		"anonymous":  f.send(t, http.MethodGet, f.address+"/x/photos/a", "", "x-ms-client-request-id: mine"),
		"no version": f.send(t, http.MethodGet, a.url("a", ""), "", "x-ms-client-request-id: mine", "x-ms-version: "),
	} {
		for name, want := range map[string]string{"X-Ms-Client-Request-Id": "mine", "X-Ms-Version": version, "X-Ms-Request-Id": "",
			"Date": "", "Server": ""} {
			if value := got.header.Get(name); value == "" || want != "" && value != want {
				t.Errorf("%s: the header %s is %q", what, name, value)
			}
		}
		if got.status >= http.StatusBadRequest && what != "HEAD" {
			got.expectDocument(t, what)
		}
	}
	if got := f.send(t, http.MethodGet, f.address+"/x/photos/a",
		""); got.status != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") == "" {
		t.Errorf("without a signature: %d, %v", got.status, got.header)
	}
	if location, err := url.Parse(a.url("a", "")); err != nil || location.Query().Get("sv") != sas.Version {
		t.Errorf("the version of signatures is not %s", sas.Version)
	}
}

// TestHints: an error has advice for common mistakes.
func TestHints(t *testing.T) {
	a := serve(t, azure.Options{}).access(t)
	for what, tc := range map[string]struct{ target, want string }{
		"the list of containers": {
			a.f.address + "/" + sas.Account("photos") + "?comp=list&" + a.token.Encode(), "only the driver may list containers.\nRequestId:",
		},
		"the URI of the Secret": {a.url("", ""), "comp=list and restype=container lists its blobs."},
	} {
		if got := a.f.send(t, http.MethodGet, tc.target, ""); !strings.Contains(got.body, tc.want) {
			t.Errorf("%s: %s, want %q", what, got.body, tc.want)
		}
	}
}

// expectDocument expects that the body of an error has the code of the header.
func (r response) expectDocument(t *testing.T, what string) {
	t.Helper()
	var document struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}
	if err := xml.Unmarshal([]byte(r.body), &document); err != nil || document.Code != r.code() || document.Message == "" {
		t.Errorf("%s: the error is %s, %v; the header has %s", what, r.body, err, r.code())
	}
}
