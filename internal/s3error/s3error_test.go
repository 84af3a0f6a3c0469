package s3error_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

func TestFrom(t *testing.T) {
	tests := map[string]struct {
		reason string
		err    error
		want   *s3error.Error
	}{
		"Itself":  {reason: "It is one already.", err: s3error.ErrNoSuchKey, want: s3error.ErrNoSuchKey},
		"Wrapped": {reason: "It is found in the chain.", err: fmt.Errorf("get: %w", s3error.ErrNoSuchKey), want: s3error.ErrNoSuchKey},
		"Other":   {reason: "Its text is not for clients.", err: errors.New("disk on fire"), want: s3error.ErrInternalError},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := s3error.From(tc.err); got != tc.want {
				t.Errorf("%s\nFrom() = %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestWithKeepsKind(t *testing.T) {
	changed := s3error.ErrAccessDenied.With("not today")
	if !errors.Is(changed, s3error.ErrAccessDenied) || changed.Message != "not today" || s3error.ErrAccessDenied.Message == "not today" {
		t.Errorf("With() = %v, and the original is %v", changed, s3error.ErrAccessDenied)
	}
}

func TestWrite(t *testing.T) {
	const document = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Error><Code>NoSuchKey</Code>` +
		`<Message>The specified key does not exist</Message><Resource>/b/&lt;k&gt;</Resource><RequestId>7</RequestId></Error>`
	for method, want := range map[string]string{http.MethodGet: document, http.MethodHead: ""} {
		w := httptest.NewRecorder()
		s3error.Write(w, httptest.NewRequestWithContext(t.Context(), method, "/b/%3Ck%3E", http.NoBody), "7", s3error.ErrNoSuchKey)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", method, w.Code)
		}
		if diff := cmp.Diff(want, w.Body.String()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", method, diff)
		}
	}
}

func TestAbout(t *testing.T) {
	first := s3error.ErrAccessDenied.About("First", "1")
	second := first.About("Second", "<2>")
	w := httptest.NewRecorder()
	s3error.Write(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody), "7", second)
	const want = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Error><Code>AccessDenied</Code><Message>Access Denied</Message>` +
		`<First>1</First><Second>&lt;2&gt;</Second><Resource>/</Resource><RequestId>7</RequestId></Error>`
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(s3error.ErrAccessDenied.Details) != 0 || len(first.Details) != 1 {
		t.Errorf("About() has changed the errors it was called on: %v, %v", s3error.ErrAccessDenied, first)
	}
}
