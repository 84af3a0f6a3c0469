package store_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

// TestPutVersioning: versioning can be suspended, but not disabled.
//
//nolint:lll // one case a line
func TestPutVersioning(t *testing.T) {
	a := newApp(t)
	application := *a
	a.key = a.store.administrator(t)
	state := func() string {
		out, err := application.s3.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: a.bucket})
		a.must(err)
		return string(out.Status)
	}
	put := func(status string) string {
		return "<VersioningConfiguration><Status>" + status + "</Status></VersioningConfiguration>"
	}
	for _, step := range []struct {
		reason, body string
		want         string
		status       int
		after        string
	}{
		{"no such state", put("Off"), "IllegalVersioningConfigurationException", 400, ""},
		{"no state", "<VersioningConfiguration/>", "IllegalVersioningConfigurationException", 400, ""},
		{"no document", "<Versioning", "MalformedXML", 400, ""},
		{"on", put("Enabled"), "", 200, "Enabled"},
		{"MFA", "<VersioningConfiguration><Status>Suspended</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>", "NotImplemented", 501, "Enabled"},
		{"suspended", put("Suspended"), "", 200, "Suspended"},
	} {
		got := a.raw(http.MethodPut, "?versioning", step.body)
		if got.status != step.status || (step.want != "" && code(t, got.body) != step.want) {
			t.Errorf("%s: answer %d, want %d %s: %s", step.reason, got.status, step.status, step.want, got.body)
		}
		if now := state(); now != step.after {
			t.Errorf("%s: the state is %q, want %q", step.reason, now, step.after)
		}
	}
	if got := application.raw(http.MethodPut, "?versioning", put("Enabled")); got.status != http.StatusForbidden {
		t.Errorf("an application: answer %d: %s", got.status, got.body)
	}
}

// TestNullVersions is about objects from before versioning and during its suspension, which replace
// each other.
func TestNullVersions(t *testing.T) {
	a := newApp(t)
	if out := a.put("k", "before"); out.VersionId != nil {
		t.Errorf("PutObject() without versioning says version %s", *out.VersionId)
	}
	a.configure(types.BucketVersioningStatusEnabled)
	a.put("k", "enabled")
	step := func(reason string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, a.history()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	step("the object from before has become a version", "k enabled latest", "k before null")
	a.configure(types.BucketVersioningStatusSuspended)
	if out := a.put("k", "suspended"); aws.ToString(out.VersionId) != "null" {
		t.Errorf("PutObject() in suspension says version %v", out.VersionId)
	}
	step("the null version is replaced, and is the newest", "k suspended latest null", "k enabled")
	if out := a.remove("k", ""); !aws.ToBool(out.DeleteMarker) || aws.ToString(out.VersionId) != "null" {
		t.Errorf("DeleteObject() in suspension = %+v", out)
	}
	step("the marker replaces it, too", "k enabled", "k marker latest null")
	a.remove("k", "null")
	step("what is left", "k enabled latest")
	a.remove("k", "null")
	step("there is no null version any more", "k enabled latest")
}
