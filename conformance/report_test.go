package conformance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// reportOf returns the report of a run in which CB-10 fails, as report.yaml has it.
func reportOf(t *testing.T, d *driver) string {
	t.Helper()
	config := d.config()
	config.Skip, config.Parameters.GCSEndpoint = []string{"ID-02"}, ""
	config.Parameters.Implementation = conformance.Implementation{Name: "Example", Version: "v1.4.0", Contact: "https://driver.example.com"}
	config.Parameters.Access = map[string]string{"note": "first", "adminPassword": "correct horse"}
	var text strings.Builder
	if err := d.test(config).WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// withoutTimes returns a report without what differs from run to run.
func withoutTimes(t *testing.T, text string) conformance.Report {
	t.Helper()
	var report conformance.Report
	if err := yaml.UnmarshalStrict([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	report.Started, report.Took = time.Time{}, 0
	for i := range report.Results {
		result := &report.Results[i]
		result.Started, result.Took = time.Time{}, 0
		for j := range result.Exchanges {
			result.Exchanges[j].Took = 0
		}
	}
	return report
}

// TestReport: a report describes the run without secrets, and two runs of a driver give the
// same one.
func TestReport(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(mutants(), func(m mutant) bool { return slices.Contains(m.want, "CB-10") })
	d := serve(t, setup{behaviour: mutants()[i].behaviour})
	text := reportOf(t, d)
	first := withoutTimes(t, text)
	if diff := cmp.Diff(first, withoutTimes(t, reportOf(t, d)), cmpopts.IgnoreUnexported(conformance.Result{})); diff != "" {
		t.Errorf("the report of the second run: -first, +second:\n%s", diff)
	}
	if strings.Contains(text, "correct horse") {
		t.Error("the report has the password of a class")
	}
	for _, want := range []string{
		"name: Example", "version: v1.4.0", "contact: https://driver.example.com", "specVersions:", "seed: test", "skip:\n- ID-02",
		"unsupported:\n", "- this is about v1alpha1", "adminPassword: ", "state: fail", "rerun: ", "link: https://",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q", want)
		}
	}
}

// TestFixFirst: keys that do not work come before a call that cannot be repeated, and this before an
// empty name that is accepted, which COSI never sends. One mistake is named once, also if a call after a
// restart shows it again.
func TestFixFirst(t *testing.T) {
	t.Parallel()
	wrong := func(created *sync.Map) behaviour {
		return func(_ context.Context, r any, next call) (any, error) {
			switch m := r.(type) {
			case *generate:
				if m.GetName() == "" {
					return &generated{BucketId: "unnamed"}, nil
				}
			case *create:
				if exists(created, m.GetBucketId()) {
					return nil, failed(codes.AlreadyExists, "it exists")
				}
			}
			response, err := next(r)
			if m, ok := response.(*granted); ok && err == nil {
				m.Credentials.S3.AccessSecretKey += "x"
			}
			return response, err
		}
	}
	d := serve(t, setup{behaviour: wrong})
	config := d.config()
	config.Only = []string{"GB-05", "GB-06", "CB-04", "CC-02", "LF-10", "SA-01"}
	if diff := cmp.Diff([]string{"SA-01", "CB-04", "GB-05"}, d.test(config).FixFirst); diff != "" {
		t.Errorf("first to fix (-want +got):\n%s", diff)
	}
}

// TestSummary: the text about a driver that does nothing right fits a terminal, and names all that has failed.
func TestSummary(t *testing.T) {
	t.Parallel()
	const took = 1500 * time.Millisecond
	report := conformance.Report{
		Driver: "example.com", Dialect: dialects.KEP, Seed: "test", Took: took, FixFirst: []string{"CB-00", "CB-01", "CB-02"},
		Verdicts: []conformance.Verdict{
			{Profile: "Core", Verdict: conformance.NotConformant, Counts: map[string]int{conformance.Fail: 4, conformance.NotReached: 4}},
			{Profile: "S3", Verdict: conformance.NotTested, Counts: map[string]int{conformance.NotReached: 1}},
			{Profile: "Azure", Verdict: conformance.NotTested, Counts: map[string]int{conformance.NotReached: 1}},
			{Profile: "GCS", Verdict: conformance.Unsupported, Counts: map[string]int{conformance.NotSupported: 1}},
		},
	}
	for i := range 4 {
		failed := conformance.Check{ID: fmt.Sprintf("CB-%02d", i), Title: "Creates", Level: "MUST"}
		unreached := conformance.Check{ID: fmt.Sprintf("DB-%02d", i), Title: "Deletes", Level: "MUST"}
		report.Results = append(report.Results,
			conformance.Result{Check: failed, State: conformance.Fail, Leftovers: []string{"bucket " + failed.ID}},
			conformance.Result{Check: unreached, State: conformance.NotReached, Reason: "no bucket"})
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	const want = `driver example.com, COSI v1alpha2, dialect kep, seed test, 1.5s
Core             not conformant    4 fail  4 not reached
not tested: S3, Azure
not supported: GCS
left behind by CB-00: bucket CB-00
left behind by CB-01: bucket CB-01
left behind by CB-02: bucket CB-02
left behind: 1 more, which -o json lists
Not reached: 4 checks; the first is DB-00 Deletes: no bucket
Failed: CB-00, CB-01, CB-02, CB-03
Fix first:
  CB-00 Creates
  CB-01 Creates
  CB-02 Creates
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
