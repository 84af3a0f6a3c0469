package orphans_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/orphans"
)

// servePages is ListBuckets of a service in region eu-1 whose only key is "id".
func servePages(w http.ResponseWriter, r *http.Request) {
	authorization, token := r.Header.Get("Authorization"), r.URL.Query().Get("continuation-token")
	switch {
	case !strings.Contains(authorization, "Credential=id/") || !strings.Contains(authorization, "/eu-1/s3/"):
		http.Error(w, "<Code>AccessDenied</Code>", http.StatusForbidden)
	case token == "":
		_, _ = fmt.Fprint(w, `<ListAllMyBucketsResult><Buckets><Bucket><Name>a</Name></Bucket></Buckets>`+
			`<ContinuationToken>x&amp;y</ContinuationToken></ListAllMyBucketsResult>`)
	case token == "x&y":
		_, _ = fmt.Fprint(w, `<ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>`)
	}
}

// TestListBuckets reads all pages of a service.
func TestListBuckets(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(servePages))
	defer service.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	s3, err := orphans.S3FromEnvironment(service.URL, "eu-1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s3.ListBuckets(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s3.Region = "eu-2"
	if _, err := s3.ListBuckets(t.Context()); err == nil || !strings.Contains(err.Error(), "AccessDenied") {
		t.Errorf("with another region, the error is %v", err)
	}
}

func TestS3FromEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, tc := range []struct{ endpoint, key, want string }{
		{"https://s3.example.com", "", "AWS_ACCESS_KEY_ID"},
		{"s3.example.com", "id", "s3.example.com"},
		{"ftp://s3.example.com", "id", "ftp://"},
	} {
		t.Setenv("AWS_ACCESS_KEY_ID", tc.key)
		if _, err := orphans.S3FromEnvironment(tc.endpoint, ""); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with key %q: the error is %v, and should contain %q", tc.endpoint, tc.key, err, tc.want)
		}
	}
}

func TestListCommand(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("it needs a shell")
	}
	var messages bytes.Buffer
	got, err := orphans.ListCommand(t.Context(), []string{sh, "-c", `printf 'a\tmore\n\n b\n'; echo note >&2`}, &messages)
	if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if messages.String() != "note\n" {
		t.Errorf("the messages are %q", messages.String())
	}
	if got, err := orphans.ListCommand(t.Context(), []string{sh, "-c", ":"}, &messages); err != nil || got == nil {
		t.Errorf("nothing printed is %v, %v: an empty backend is known", got, err)
	}
	_, err = orphans.ListCommand(t.Context(), []string{sh, "-c", "exit 3"}, &messages)
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("the error is %v", err)
	}
}
