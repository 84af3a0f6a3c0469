package s3test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// RoleARN is the role of the account of ServiceAccount.
const RoleARN = "arn:aws:iam::000000000000:role/app"

// WebIdentities is an Options.WebIdentity whose tokens name their results.
func WebIdentities(_ context.Context, token, role string) (string, error) {
	switch token {
	case "good":
		return role, nil
	case "expired":
		return "", authorization.ErrExpired
	case "no-role":
		return "", fakedriver.ErrNotExist
	case "no-account":
		return "unknown", nil
	case "down":
		return "", errors.New("the API server is down")
	default:
		return "", authorization.ErrIdentity
	}
}

// ServiceAccount is a store with a bucket and an account for tokens only.
func ServiceAccount(t *testing.T, options Options) *Server {
	t.Helper()
	options.WebIdentity = WebIdentities
	s := Serve(t, options)
	s.Bucket(t, "photos")
	spec := fakedriver.AccountSpec{ID: "app", Owner: Owner, ServiceAccount: "app", Grants: []fakedriver.Grant{ReadWrite("photos")}}
	if _, err := s.PutAccount(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	s.Account(t, "keyed", ReadWrite("photos"))
	return s
}

// AssumeForm returns a form that asks for a session.
func AssumeForm(token string) url.Values {
	return url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "WebIdentityToken": {token},
		"RoleArn": {RoleARN}, "RoleSessionName": {"pod-1"},
	}
}

// AssumeRole sends a form to STS.
func AssumeRole(t *testing.T, s *Server, form url.Values) (int, string) {
	t.Helper()
	kind := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}
	return Send(t, http.MethodPost, s.URL+"/", kind, form.Encode())
}
