package conformance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestFakeDriver: the fake driver passes every check that applies, in both generations and by
// each protocol, and nothing is left of a run.
func TestFakeDriver(t *testing.T) {
	t.Parallel()
	const yes, no = conformance.Conformant, conformance.Unsupported
	all := []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}
	tests := map[string]struct {
		options fakedriver.Options
		want    map[string]string
	}{
		"v1alpha2": {
			fakedriver.Options{Protocols: all, ServiceAccounts: true},
			map[string]string{
				"Core": yes, "S3": yes, "S3-Access-Modes": yes, "Multi-Bucket": yes, "ServiceAccount": yes, "Azure": yes, "GCS": yes,
				"Crash-Safety": yes,
			},
		},
		"v1alpha2, GCS": {
			fakedriver.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}},
			map[string]string{
				"Core": yes, "S3": no, "S3-Access-Modes": no, "Multi-Bucket": yes, "ServiceAccount": no, "Azure": no, "GCS": yes,
				"Crash-Safety": yes,
			},
		},
		"v1alpha1": {
			fakedriver.Options{Dialect: dialects.V1alpha1, ServiceAccounts: true},
			map[string]string{
				"Core": yes, "S3": yes, "S3-Access-Modes": no, "Multi-Bucket": no, "ServiceAccount": yes, "Azure": no, "GCS": no,
				"Crash-Safety": yes,
			},
		},
		"v1alpha1, Azure": {
			fakedriver.Options{Dialect: dialects.V1alpha1, Protocols: []fakedriver.Protocol{fakedriver.ProtocolAzure}},
			map[string]string{
				"Core": yes, "S3": no, "S3-Access-Modes": no, "Multi-Bucket": no, "ServiceAccount": no, "Azure": yes, "GCS": no,
				"Crash-Safety": yes,
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := serve(t, setup{options: tc.options})
			report := d.test(d.config())
			d.wantAll(report)
			if diff := cmp.Diff(tc.want, verdicts(report)); diff != "" {
				t.Errorf("verdicts: -want, +got:\n%s", diff)
			}
			for _, v := range report.Verdicts {
				t.Logf("%s: %s %v", v.Profile, v.Verdict, v.Counts)
			}
			t.Logf("took %s", report.Took)
		})
	}
}
