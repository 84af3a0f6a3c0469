package protocol_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestPutVersioning: versioning can be suspended, but not disabled.
//
//nolint:lll // one case a line
func TestPutVersioning(t *testing.T) {
	a := s3test.NewApp(t)
	application := *a
	a.Key = a.Store.Admin(t)
	state := func() string {
		out, err := application.S3.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: a.Bucket})
		a.Must(err)
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
		got := a.Raw(http.MethodPut, "?versioning", step.body)
		if got.Status != step.status || (step.want != "" && s3test.Code(t, got.Body) != step.want) {
			t.Errorf("%s: answer %d, want %d %s: %s", step.reason, got.Status, step.status, step.want, got.Body)
		}
		if now := state(); now != step.after {
			t.Errorf("%s: the state is %q, want %q", step.reason, now, step.after)
		}
	}
	if got := application.Raw(http.MethodPut, "?versioning", put("Enabled")); got.Status != http.StatusForbidden {
		t.Errorf("an application: answer %d: %s", got.Status, got.Body)
	}
}

// TestNullVersions is about objects from before versioning and during its suspension, which replace
// each other.
func TestNullVersions(t *testing.T) {
	a := s3test.NewApp(t)
	if out := a.Put("k", "before"); out.VersionId != nil {
		t.Errorf("PutObject() without versioning says version %s", *out.VersionId)
	}
	a.Configure(types.BucketVersioningStatusEnabled)
	a.Put("k", "enabled")
	step := func(reason string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, historyOf(a)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	step("the object from before has become a version", "k enabled latest", "k before null")
	a.Configure(types.BucketVersioningStatusSuspended)
	if out := a.Put("k", "suspended"); aws.ToString(out.VersionId) != "null" {
		t.Errorf("PutObject() in suspension says version %v", out.VersionId)
	}
	step("the null version is replaced, and is the newest", "k suspended latest null", "k enabled")
	if out := a.Remove("k", ""); !aws.ToBool(out.DeleteMarker) || aws.ToString(out.VersionId) != "null" {
		t.Errorf("DeleteObject() in suspension = %+v", out)
	}
	step("the marker replaces it, too", "k enabled", "k marker latest null")
	a.Remove("k", "null")
	step("what is left", "k enabled latest")
	a.Remove("k", "null")
	step("there is no null version any more", "k enabled latest")
}
