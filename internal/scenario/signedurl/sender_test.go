package signedurl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSignedRequest verifies that requests with signed URLs are retried like other S3 requests, and
// that no error shows the signature.
func TestSignedRequest(t *testing.T) {
	const rejection = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>"
	answers := map[string]http.HandlerFunc{
		"cut":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"busy":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"rejected": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, rejection, http.StatusForbidden) },
		"fine":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("content")) },
	}
	tests := map[string]struct {
		answers  []string
		attempts int
		want     string
		err      string
	}{
		"at once":                    {answers: []string{"fine"}, attempts: 1, want: "content"},
		"after a cut":                {answers: []string{"cut", "fine"}, attempts: 2, want: "content"},
		"after two failures":         {answers: []string{"busy", "cut", "fine"}, attempts: 3, want: "content"},
		"too often":                  {answers: []string{"busy", "cut"}, attempts: 2, err: "EOF"},
		"no second attempt":          {answers: []string{"cut"}, attempts: 1, err: "EOF"},
		"a rejection is not retried": {answers: []string{"rejected"}, attempts: 3, err: "AccessDenied"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				nth := int(requests.Add(1))
				if nth > len(tc.answers) {
					t.Error("there was one request too many")
					return
				}
				answers[tc.answers[nth-1]](w, r)
			}))
			defer server.Close()
			c := Sender{Transport: &http.Transport{}, Attempts: tc.attempts}
			defer c.Close()
			got, err := c.Request(t.Context(), http.MethodPut, server.URL+"/b/k?X-Amz-Signature=abc", nil, []byte("content"))
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if err != nil && strings.Contains(err.Error(), "abc") {
				t.Errorf("the error tells the signature: %v", err)
			}
			if made := int(requests.Load()); got != tc.want || made != len(tc.answers) {
				t.Errorf("got %q after %d requests, want %q after %d", got, made, tc.want, len(tc.answers))
			}
		})
	}
}
