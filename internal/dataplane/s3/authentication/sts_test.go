package authentication_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

//nolint:lll // one case a line
func TestAssumeRoleRejections(t *testing.T) {
	s := s3test.ServiceAccount(t, s3test.Options{})
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
		"BadToken":     {"An unknown token.", "bad-token", nil, 400, "InvalidIdentityToken"},
		"Expired":      {"It has been deleted.", "expired", nil, 400, "ExpiredTokenException"},
		"NoRole":       {"Not for this role.", "no-role", nil, 403, "AccessDenied"},
		"NoAccount":    {"The role has no account.", "no-account", nil, 403, "AccessDenied"},
		"KeyedAccount": {"An account with keys is not for tokens.", "good", set("RoleArn", "arn:aws:iam::000000000000:role/path/keyed"), 403, "AccessDenied"},
		"Down":         {"The identity provider is unavailable; clients retry.", "down", nil, 400, "IDPCommunicationError"},
		"NoToken":      {"Required.", "", nil, 400, "ValidationError"},
		"LongToken":    {"Longer than STS takes.", strings.Repeat("t", 20_001), nil, 400, "ValidationError"},
		"NoRoleArn":    {"Required.", "good", set("RoleArn"), 400, "ValidationError"},
		"OddRoleArn":   {"Not a role.", "good", set("RoleArn", "arn:aws:iam::000000000000:user/app"), 400, "ValidationError"},
		"NoName":       {"Required.", "good", set("RoleSessionName", ""), 400, "ValidationError"},
		"OddName":      {"Not a name.", "good", set("RoleSessionName", "a b"), 400, "ValidationError"},
		"TooShort":     {"STS has a minimum.", "good", set("DurationSeconds", "899"), 400, "ValidationError"},
		"TooLong":      {"STS has a maximum.", "good", set("DurationSeconds", "43201"), 400, "ValidationError"},
		"OddDuration":  {"Not a number.", "good", set("DurationSeconds", "1h"), 400, "ValidationError"},
		"Twice":        {"Which one counts?", "good", set("RoleArn", s3test.RoleARN, s3test.RoleARN+"2"), 400, "ValidationError"},
		"Policy":       {"Ignoring it would grant more than was asked for.", "good", set("Policy", "{}"), 400, "ValidationError"},
		"OtherAction":  {"Nothing else of STS.", "good", set("Action", "GetCallerIdentity"), 400, "InvalidAction"},
		"OtherVersion": {"Another API.", "good", set("Version", "2010-05-08"), 400, "InvalidAction"},
		"NoAction":     {"Nothing is asked.", "good", set("Action"), 400, "MissingAction"},
		"TooLarge":     {"Bounded.", "good", set("RoleSessionName", strings.Repeat("n", 70_000)), 400, "ValidationError"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			form := s3test.AssumeForm(tc.token)
			if tc.change != nil {
				tc.change(form)
			}
			status, body := s3test.AssumeRole(t, s, form)
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
	s := s3test.Serve(t, s3test.Options{})
	status, body := s3test.AssumeRole(t, s, s3test.AssumeForm("good"))
	if status != http.StatusForbidden || stsCode(t, body) != "AccessDenied" {
		t.Errorf("answer %d: %s", status, body)
	}
}
