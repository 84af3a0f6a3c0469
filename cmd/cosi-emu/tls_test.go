package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestTLS serves S3 over TLS, and connects with the output of `env` only. Pages of one origin may
// use it.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--tls", "--s3-max-body", "1Mi", "--s3-cors-origin", "http://localhost:3000,http://localhost:5173")
	env := map[string]string{}
	if err := json.Unmarshal([]byte(h.must("env", "--admin", "-o", "json")), &env); err != nil {
		t.Fatal(err)
	}
	if env[v1alpha2.SecretKeyS3Endpoint] != info.S3Endpoint {
		t.Errorf("env says that S3 is at %q, and up says %q", env[v1alpha2.SecretKeyS3Endpoint], info.S3Endpoint)
	}
	certificates, err := os.ReadFile(env["AWS_CA_BUNDLE"])
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, info.S3Endpoint, certificates); status != http.StatusForbidden {
		t.Errorf("an unsigned request: status %d, want 403", status)
	}
	for origin, want := range map[string]int{"http://localhost:5173": http.StatusOK, "http://localhost:8080": http.StatusForbidden} {
		preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {http.MethodPut}}
		if status, body := fetch(t, http.MethodOptions, info.S3Endpoint+"/photos/k", certificates, preflight); status != want {
			t.Errorf("a preflight of a page of %s: status %d: %s", origin, status, body)
		}
	}
	h.must("down")
	h.expectNothingLeft()
}

// TestTLSFalse: data keep TLS, because the Secrets in them do. A user who asks for none is told.
func TestTLSFalse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	data := filepath.Join(h.dir, "data")
	for _, flag := range []string{"--tls", "--tls=false"} {
		out := h.must("up", "-d", "--data-dir", data, flag)
		if warned := strings.Contains(out, "Warning: --tls=false has no effect"); warned != (flag == "--tls=false") {
			t.Errorf("up %s:\n%s", flag, out)
		}
		h.must("down")
	}
}
