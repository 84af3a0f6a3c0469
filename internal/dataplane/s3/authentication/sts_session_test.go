package authentication_test

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

type sessionKey struct {
	fakedriver.Credentials

	token   string
	expires time.Time
}

func beginSession(t *testing.T, s *s3test.Server, change ...func(url.Values)) sessionKey {
	t.Helper()
	form := s3test.AssumeForm("good")
	for _, f := range change {
		f(form)
	}
	status, body := s3test.AssumeRole(t, s, form)
	var document struct {
		XMLName xml.Name `xml:"AssumeRoleWithWebIdentityResponse"`
		Found   struct {
			AccessKeyID     string    `xml:"AccessKeyId"`
			SecretAccessKey string    `xml:"SecretAccessKey"`
			SessionToken    string    `xml:"SessionToken"`
			Expiration      time.Time `xml:"Expiration"`
		} `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
	}
	if err := xml.Unmarshal([]byte(body), &document); err != nil || status != http.StatusOK {
		t.Fatalf("answer %d, %v: %s", status, err, body)
	}
	found := document.Found
	return sessionKey{
		fakedriver.Credentials{AccessKeyID: found.AccessKeyID, SecretAccessKey: found.SecretAccessKey}, found.SessionToken, found.Expiration,
	}
}

// list sends a request of a session, and returns the code of its error.
func (k sessionKey) list(t *testing.T, s *s3test.Server, change ...func(*s3test.Signed)) string {
	t.Helper()
	in := s3test.Signed{
		Method: http.MethodGet, Path: "/photos", Credentials: k.Credentials, Region: s.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", k.token) },
	}
	for _, f := range change {
		f(&in)
	}
	status, body := in.Send(t, s)
	if status == http.StatusOK {
		return ""
	}
	return s3test.Code(t, body)
}

//nolint:lll // one case a line
func TestSessions(t *testing.T) {
	var late atomic.Int64 // nanoseconds
	s := s3test.ServiceAccount(t, s3test.Options{Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	key, other := beginSession(t, s), beginSession(t, s, func(form url.Values) { form.Set("DurationSeconds", "43200") })
	keyed := s.Account(t, "keyed", s3test.ReadWrite("photos"))
	drop := func(in *s3test.Signed) { in.Before = nil }
	token := func(value string) func(*s3test.Signed) {
		return func(in *s3test.Signed) {
			in.Before = func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", value) }
		}
	}
	tests := map[string]struct {
		reason string
		key    sessionKey
		change func(*s3test.Signed)
		want   string
	}{
		"Good":       {"As it should be.", key, func(*s3test.Signed) {}, ""},
		"NoToken":    {"The key alone is nothing.", key, drop, "InvalidAccessKeyId"},
		"OtherToken": {"Another session's.", key, token(other.token), "InvalidToken"},
		"BadToken":   {"An unknown token.", key, token("token"), "InvalidToken"},
		"Unsigned": {"The token must be signed.", key, func(in *s3test.Signed) {
			in.Before, in.After = nil, func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", key.token) }
		}, "AccessDenied"},
		"WrongSecret":    {"The token alone is nothing.", sessionKey{fakedriver.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: "x"}, key.token, key.expires}, func(*s3test.Signed) {}, "SignatureDoesNotMatch"},
		"KeyOfAnAccount": {"It has no token.", sessionKey{Credentials: keyed, token: key.token}, func(*s3test.Signed) {}, "InvalidToken"},
		"OtherBucket":    {"A session may do what its account may.", key, func(in *s3test.Signed) { in.Path = "/other" }, "AccessDenied"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.key.list(t, s, tc.change); got != tc.want {
				t.Errorf("%s\n%q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	late.Store(int64(61 * time.Minute))
	now := func(in *s3test.Signed) { in.At = time.Now().Add(61 * time.Minute) }
	if got := key.list(t, s, now); got != "ExpiredToken" {
		t.Errorf("after its time: %q", got)
	}
	if got := other.list(t, s, now); got != "" {
		t.Errorf("the longer session: %q", got)
	}
	s.Revoke(t, "app")
	if got := other.list(t, s, now); got != "InvalidAccessKeyId" {
		t.Errorf("after the account was deleted: %q", got)
	}
}

// TestManySessions begins more sessions than an account may have.
func TestManySessions(t *testing.T) {
	s := s3test.ServiceAccount(t, s3test.Options{})
	keys := map[string]sessionKey{}
	first := beginSession(t, s)
	for range 150 {
		key := beginSession(t, s)
		keys[key.AccessKeyID] = key
	}
	if got := first.list(t, s); got != "InvalidAccessKeyId" {
		t.Errorf("the first session, before 150 others: %q", got)
	}
	live := 0
	for key := range maps.Values(keys) {
		if key.list(t, s) == "" {
			live++
		}
	}
	if live != 100 {
		t.Errorf("%d sessions are live, want 100", live)
	}
}
