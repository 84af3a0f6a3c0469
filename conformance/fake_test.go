package conformance_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestFakeDriver: the fake driver passes every check that applies, in both generations, and
// nothing is left of a run.
func TestFakeDriver(t *testing.T) {
	for _, generation := range []fakedriver.Generation{fakedriver.V1alpha1, fakedriver.V1alpha2} {
		t.Run(string(generation), func(t *testing.T) {
			d := serve(t, fakedriver.Options{Generation: generation}, nil)
			report, err := conformance.Execute(t.Context(), d.config())
			if err != nil {
				t.Fatal(err)
			}
			for _, result := range report.Results {
				if result.State != conformance.Pass && result.State != conformance.NotSupported {
					t.Error(result.Explain())
				}
				if len(result.Leftovers) > 0 {
					t.Errorf("%s: leftovers %v", result.Check.ID, result.Leftovers)
				}
			}
			if string(generation) != report.Generation {
				t.Errorf("generation %s, want %s", report.Generation, generation)
			}
			for _, v := range report.Verdicts {
				t.Logf("%s: %s %v", v.Profile, v.Verdict, v.Counts)
				if v.Verdict != conformance.Conformant && generation == fakedriver.V1alpha2 {
					t.Errorf("%s: %s, want %s", v.Profile, v.Verdict, conformance.Conformant)
				}
			}
			t.Logf("took %s", report.Took)
		})
	}
}
