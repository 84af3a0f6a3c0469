package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/explore/life"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestLives runs some lives of the components of this project, and expects no findings. Ten thousand run with make explore-lives.
func TestLives(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	for name, tc := range map[string]struct {
		version objectstorage.Version
		dialect dialects.Dialect
	}{
		"V1alpha1": {version: objectstorage.V1alpha1},
		"V1alpha2": {version: objectstorage.V1alpha2},
		"OneMode":  {objectstorage.V1alpha2, dialects.OneMode},
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{Sandboxes: 4, Emulator: embedded(), Seed: 1}
			opts.Emulator.API, opts.Emulator.Dialect = tc.version, tc.dialect
			const count = 16
			r, err := Lives(t.Context(), opts, count, func(s Source, r *Report, err error) {
				t.Errorf("%s: %v\n%s", s.File, err, s.Text)
				for _, g := range r.Findings {
					t.Errorf("%s: %s (confirmed: %t)\nwhy: %s", g.Oracle, g.Message, g.Confirmed, g.Why)
				}
			})
			if err != nil || r.Lives != count || len(r.Failed) > 0 {
				t.Errorf("%d of %d lives, with findings: %v, error %v", r.Lives, count, r.Failed, err)
			}
		})
	}
}

// TestLivesFound has a driver that grants one access only. A life with two accesses finds that, and is confirmed; another life is well.
func TestLivesFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // without the programs, with which other tests confirm findings
	opts := Options{Sandboxes: 2, Emulator: embedded(), Seed: 2}
	opts.Emulator.MaxAccounts, opts.Emulator.Dialect = 1, dialects.OneMode
	const count, failing = 2, 3
	var found []string
	r, err := Lives(t.Context(), opts, count, func(s Source, r *Report, err error) {
		if err != nil || s.File != r.Scenario+".yaml" || len(r.Findings) != 1 || !r.Findings[0].Confirmed {
			t.Errorf("%s: error %v, findings %+v; want one that is confirmed", s.File, err, r.Findings)
		}
		found = append(found, r.Scenario)
	})
	want := LivesReport{Lives: count, Of: count, First: opts.Seed, Failed: []uint64{failing}, Duration: r.Duration, Reasons: r.Reasons}
	if diff := cmp.Diff(want, r); err != nil || diff != "" {
		t.Errorf("error %v, -want, +got:\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{life.Name(objectstorage.V1alpha2, failing)}, found); diff != "" {
		t.Errorf("reports: -want, +got:\n%s", diff)
	}
}

// TestLivesOptions verifies that lives are not mixed with faults.
func TestLivesOptions(t *testing.T) {
	for name, opts := range map[string]Options{
		"Interference": {Interference: true}, "Pairs": {Pairs: true}, "Random": {Random: 1}, "Sample": {Sample: 1}, "State": {State: "a"},
	} {
		opts.Emulator = embedded()
		if _, err := Lives(t.Context(), opts, 1, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
