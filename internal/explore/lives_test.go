package explore

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
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

// TestLivesFound has a driver that grants one access only. A life that needs two at once finds that, and is confirmed; a life without
// accesses is well.
func TestLivesFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // without the programs, with which other tests confirm findings
	opts := Options{Sandboxes: 1, Emulator: embedded()}
	opts.Emulator.MaxAccounts, opts.Emulator.Dialect = 1, dialects.OneMode
	ready := regexp.MustCompile(`BucketAccess/\w+: \{status: \{readyToUse: true`)
	for name, tc := range map[string]struct {
		reason string
		is     func(text string) bool
		failed bool
	}{
		"Two": {"Two accesses must be ready at one time.", func(text string) bool {
			return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return len(ready.FindAllString(line, -1)) > 1 })
		}, true},
		"None": {"No access is created.", func(text string) bool { return !strings.Contains(text, "kind: BucketAccess") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			opts := opts
			opts.Seed, opts.Out = seedOf(tc.is), t.TempDir()
			var found []string
			r, err := Lives(t.Context(), opts, 1, func(s Source, r *Report, err error) {
				written, failed := os.ReadFile(s.File)
				if err = errors.Join(err, failed); err != nil || !bytes.Equal(written, s.Text) || len(r.Findings) != 1 || !r.Findings[0].Confirmed {
					t.Errorf("%s: error %v, findings %+v; want one that is confirmed", s.File, err, r.Findings)
				}
				found = append(found, r.Scenario)
			})
			if err != nil || r.Lives != 1 {
				t.Errorf("%d lives, error %v", r.Lives, err)
			}
			var want []string
			if tc.failed {
				want = []string{life.Name(objectstorage.V1alpha2, opts.Seed)}
			}
			if diff := cmp.Diff(want, found); diff != "" || tc.failed != (len(r.Failed) == 1) {
				t.Errorf("%s seeds with findings: %v, reports: -want, +got:\n%s", tc.reason, r.Failed, diff)
			}
		})
	}
}

// seedOf returns the seed of the first plain life that is as it must be.
func seedOf(is func(text string) bool) uint64 {
	of := life.Options{Version: objectstorage.V1alpha2, Plain: true}
	for !is(string(life.Generate(of))) {
		of.Seed++
	}
	return of.Seed
}
