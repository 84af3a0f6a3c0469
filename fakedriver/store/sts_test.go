package store_test

import (
	"context"
	"encoding/xml"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

const roleARN = "arn:aws:iam::000000000000:role/app"

// webIdentities is an Options.WebIdentity whose tokens say what comes of them.
func webIdentities(_ context.Context, token, role string) (string, error) {
	switch token {
	case "good":
		return role, nil
	case "expired":
		return "", store.ErrExpired
	case "no-role":
		return "", store.ErrNotExist
	case "no-account":
		return "nobody", nil
	case "down":
		return "", errors.New("the API server is down")
	default:
		return "", store.ErrIdentity
	}
}

// serviceAccount is a store with a bucket and an account that is reached with
// tokens only.
func serviceAccount(t *testing.T, options store.Options) *server {
	t.Helper()
	options.WebIdentity = webIdentities
	s := serve(t, options)
	s.bucket(t, "photos")
	spec := store.AccountSpec{ID: "app", Owner: owner, ServiceAccount: "app", Grants: []store.Grant{readWrite("photos")}}
	if _, err := s.PutAccount(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	s.account(t, "keyed", readWrite("photos"))
	return s
}

// TestWebIdentityProvider uses the SDK as an application in a Pod does: a token in
// a file, and the names of a role and of an endpoint.
func TestWebIdentityProvider(t *testing.T) {
	s := serviceAccount(t, store.Options{})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithBaseEndpoint(s.url), config.WithRegion(s.Region()),
		config.WithRetryMaxAttempts(1), config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	if err != nil {
		t.Fatal(err)
	}
	provider := stscreds.NewWebIdentityRoleProvider(sts.NewFromConfig(cfg), roleARN, stscreds.IdentityTokenFile(file))
	got, err := provider.Retrieve(t.Context())
	if err != nil {
		t.Fatalf("Retrieve(): %v", err)
	}
	if left := time.Until(got.Expires); left < 59*time.Minute || left > time.Hour || !strings.HasPrefix(got.AccessKeyID, "ASIA") {
		t.Errorf("Retrieve() = key %s, which expires in %s; want one of an hour", got.AccessKeyID, left)
	}
	cfg.Credentials = aws.NewCredentialsCache(provider)
	c := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	put(t, c, "k", "with a token")
	if content := get(t, c, "k"); content != "with a token" {
		t.Errorf("GetObject() = %q", content)
	}
	if list, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{}); err != nil || aws.ToString(list.Owner.ID) == "" {
		t.Errorf("ListBuckets() = %+v, %v; want an owner", list, err)
	}
	presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k")})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := send(t, http.MethodGet, presigned.URL, nil, ""); status != http.StatusOK || body != "with a token" {
		t.Errorf("presigned: answer %d: %s", status, body)
	}
	s.revoke(t, "app")
	_, err = c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k")})
	if code := failure(t, err); code != "InvalidAccessKeyId" {
		t.Errorf("after the account was deleted: %q", code)
	}
}

// assumeForm is a right request, which tests change.
func assumeForm(token string) url.Values {
	return url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "WebIdentityToken": {token},
		"RoleArn": {roleARN}, "RoleSessionName": {"pod-1"},
	}
}

func assumeRole(t *testing.T, s *server, form url.Values) (int, string) {
	t.Helper()
	kind := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}
	return send(t, http.MethodPost, s.url+"/", kind, form.Encode())
}

//nolint:lll // one case a line
func TestAssumeRoleRefusals(t *testing.T) {
	s := serviceAccount(t, store.Options{})
	set := func(name string, values ...string) func(url.Values) {
		return func(form url.Values) { form[name] = values }
	}
	tests := map[string]struct {
		reason string
		token  string
		change func(url.Values)
		status int
		want   string
	}{
		"BadToken":     {"Nobody's.", "bad-token", nil, 400, "InvalidIdentityToken"},
		"Expired":      {"It was somebody's.", "expired", nil, 400, "ExpiredTokenException"},
		"NoRole":       {"Not for this role.", "no-role", nil, 403, "AccessDenied"},
		"NoAccount":    {"The role has no account.", "no-account", nil, 403, "AccessDenied"},
		"KeyedAccount": {"An account with keys is not for tokens.", "good", set("RoleArn", "arn:aws:iam::000000000000:role/path/keyed"), 403, "AccessDenied"},
		"Down":         {"Nobody can tell; clients try again.", "down", nil, 400, "IDPCommunicationError"},
		"NoToken":      {"Required.", "", nil, 400, "ValidationError"},
		"LongToken":    {"Longer than STS takes.", strings.Repeat("t", 20_001), nil, 400, "ValidationError"},
		"NoRoleArn":    {"Required.", "good", set("RoleArn"), 400, "ValidationError"},
		"OddRoleArn":   {"Not a role.", "good", set("RoleArn", "arn:aws:iam::000000000000:user/app"), 400, "ValidationError"},
		"NoName":       {"Required.", "good", set("RoleSessionName", ""), 400, "ValidationError"},
		"OddName":      {"Not a name.", "good", set("RoleSessionName", "a b"), 400, "ValidationError"},
		"TooShort":     {"STS has a minimum.", "good", set("DurationSeconds", "899"), 400, "ValidationError"},
		"TooLong":      {"STS has a maximum.", "good", set("DurationSeconds", "43201"), 400, "ValidationError"},
		"OddDuration":  {"Not a number.", "good", set("DurationSeconds", "1h"), 400, "ValidationError"},
		"Twice":        {"Which one counts?", "good", set("RoleArn", roleARN, roleARN+"2"), 400, "ValidationError"},
		"Policy":       {"Ignoring it would grant more than was asked for.", "good", set("Policy", "{}"), 400, "ValidationError"},
		"OtherAction":  {"Nothing else of STS.", "good", set("Action", "GetCallerIdentity"), 400, "InvalidAction"},
		"OtherVersion": {"Another API.", "good", set("Version", "2010-05-08"), 400, "InvalidAction"},
		"NoAction":     {"Nothing is asked.", "good", set("Action"), 400, "MissingAction"},
		"TooLarge":     {"Bounded.", "good", set("RoleSessionName", strings.Repeat("n", 70_000)), 400, "ValidationError"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			form := assumeForm(tc.token)
			if tc.change != nil {
				tc.change(form)
			}
			status, body := assumeRole(t, s, form)
			if got := stsCode(t, body); status != tc.status || got != tc.want {
				t.Errorf("%s\nanswer %d %s, want %d %s", tc.reason, status, got, tc.status, tc.want)
			}
			if strings.Contains(body, "bad-token") {
				t.Errorf("the answer has the token: %s", body)
			}
		})
	}
}

// stsCode returns the code of an error, and checks the document.
func stsCode(t *testing.T, body string) string {
	t.Helper()
	var document struct {
		XMLName   xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ ErrorResponse"`
		Type      string   `xml:"Error>Type"`
		Code      string   `xml:"Error>Code"`
		Message   string   `xml:"Error>Message"`
		RequestID string   `xml:"RequestId"`
	}
	if err := xml.Unmarshal([]byte(body), &document); err != nil {
		t.Fatalf("the answer is no STS error: %v\n%s", err, body)
	}
	if document.Type == "" || document.Message == "" || document.RequestID == "" {
		t.Errorf("the error lacks something: %s", body)
	}
	return document.Code
}

func TestNoWebIdentity(t *testing.T) {
	s := serve(t, store.Options{})
	if status, body := assumeRole(t, s, assumeForm("good")); status != http.StatusForbidden || stsCode(t, body) != "AccessDenied" {
		t.Errorf("answer %d: %s", status, body)
	}
}

// sessionKey is a session as its client has it.
type sessionKey struct {
	store.Credentials

	token   string
	expires time.Time
}

// begin begins a session.
func (s *server) begin(t *testing.T, change ...func(url.Values)) sessionKey {
	t.Helper()
	form := assumeForm("good")
	for _, f := range change {
		f(form)
	}
	status, body := assumeRole(t, s, form)
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
		store.Credentials{AccessKeyID: found.AccessKeyID, SecretAccessKey: found.SecretAccessKey}, found.SessionToken, found.Expiration,
	}
}

// list sends a request of a session, and returns the code of its error.
func (k sessionKey) list(t *testing.T, s *server, change ...func(*signed)) string {
	t.Helper()
	in := signed{
		method: http.MethodGet, path: "/photos", credentials: k.Credentials, region: s.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", k.token) },
	}
	for _, f := range change {
		f(&in)
	}
	status, body := in.send(t, s)
	if status == http.StatusOK {
		return ""
	}
	return code(t, body)
}

//nolint:lll // one case a line
func TestSessions(t *testing.T) {
	var late atomic.Int64 // nanoseconds
	s := serviceAccount(t, store.Options{Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	key, other := s.begin(t), s.begin(t, func(form url.Values) { form.Set("DurationSeconds", "43200") })
	keyed := s.account(t, "keyed", readWrite("photos"))
	drop := func(in *signed) { in.before = nil }
	token := func(value string) func(*signed) {
		return func(in *signed) { in.before = func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", value) } }
	}
	tests := map[string]struct {
		reason string
		key    sessionKey
		change func(*signed)
		want   string
	}{
		"Good":       {"As it should be.", key, func(*signed) {}, ""},
		"NoToken":    {"The key alone is nothing.", key, drop, "InvalidAccessKeyId"},
		"OtherToken": {"Another session's.", key, token(other.token), "InvalidToken"},
		"BadToken":   {"Nobody's.", key, token("token"), "InvalidToken"},
		"Unsigned": {"The token must be signed.", key, func(in *signed) {
			in.before, in.after = nil, func(r *http.Request) { r.Header.Set("X-Amz-Security-Token", key.token) }
		}, "AccessDenied"},
		"WrongSecret":    {"The token alone is nothing.", sessionKey{store.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: "x"}, key.token, key.expires}, func(*signed) {}, "SignatureDoesNotMatch"},
		"KeyOfAnAccount": {"It has no token.", sessionKey{Credentials: keyed, token: key.token}, func(*signed) {}, "InvalidToken"},
		"OtherBucket":    {"A session may do what its account may.", key, func(in *signed) { in.path = "/other" }, "AccessDenied"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.key.list(t, s, tc.change); got != tc.want {
				t.Errorf("%s\n%q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	late.Store(int64(61 * time.Minute))
	now := func(in *signed) { in.at = time.Now().Add(61 * time.Minute) }
	if got := key.list(t, s, now); got != "ExpiredToken" {
		t.Errorf("after its time: %q", got)
	}
	if got := other.list(t, s, now); got != "" {
		t.Errorf("the longer session: %q", got)
	}
	s.revoke(t, "app")
	if got := other.list(t, s, now); got != "InvalidAccessKeyId" {
		t.Errorf("after the account was deleted: %q", got)
	}
}

// TestManySessions begins more sessions than an account may have.
func TestManySessions(t *testing.T) {
	s := serviceAccount(t, store.Options{})
	keys := map[string]sessionKey{}
	first := s.begin(t)
	for range 150 {
		key := s.begin(t)
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
