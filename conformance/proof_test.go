package conformance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestProof: a driver whose DriverRevokeBucketAccess does nothing is not conformant if its store answers, and not
// proved if no store does, or one that does not have the bucket.
func TestProof(t *testing.T) {
	t.Parallel()
	nowhere := func(p *conformance.Parameters) { p.S3Endpoint = "http://127.0.0.1:1" }
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchBucket</Code></Error>")
	}))
	t.Cleanup(empty.Close)
	elsewhere := func(p *conformance.Parameters) { p.S3Endpoint = empty.URL }
	idle := accept(&revoked{}, func(m *revoke) bool { return m.GetAccountId() != "" })
	for name, tc := range map[string]struct {
		parameters func(*conformance.Parameters)
		behaviour  func(*sync.Map) behaviour
		core, said string
	}{
		"no store":       {parameters: nowhere, core: conformance.Unproved, said: "set s3Endpoint"},
		"no store, idle": {parameters: nowhere, behaviour: idle, core: conformance.Unproved, said: "set s3Endpoint"},
		"another store": {
			parameters: elsewhere, behaviour: idle, core: conformance.Unproved, said: "the S3 service has no bucket of the name that they have",
		},
		"a store that serves": {core: conformance.Conformant},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := serve(t, setup{parameters: tc.parameters, behaviour: tc.behaviour})
			config := d.config()
			config.Profiles = []string{"Core"}
			report := d.test(config)
			if got := verdicts(report)["Core"]; got != tc.core {
				t.Errorf("Core: %s, want %s", got, tc.core)
			}
			if !report.OK() {
				t.Error("the run has failed")
			}
			var text, badge strings.Builder
			if err := report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if err := report.WriteBadge(&badge); err != nil {
				t.Fatal(err)
			}
			if unproved := strings.Contains(text.String(), "Not proved:\n  RV-01 "); unproved == (tc.said == "") ||
				!strings.Contains(text.String(), tc.said) {
				t.Errorf("the text is\n%s", &text)
			}
			if unproved := strings.Contains(badge.String(), `"message": "not proved"`); unproved == (tc.said == "") {
				t.Errorf("the badge is %s", &badge)
			}
		})
	}
}
