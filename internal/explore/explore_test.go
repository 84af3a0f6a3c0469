package explore

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestExplore tries faults at the driver calls of the components of this project, and
// expects no findings. Whole explorations run with make explore; docs/explore.md has
// their figures.
func TestExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	const v1alpha2, v1alpha1 = "testdata/lifecycle.yaml", "testdata/v1alpha1/lifecycle.yaml"
	lost, stale := []plan.Kind{plan.CrashAfter, plan.LoseReply}, []plan.Kind{plan.Stale}
	lag, takeover := []plan.Kind{plan.Lag}, []plan.Kind{plan.LoseLease}
	outage := []plan.Kind{plan.RestartAPIServer, plan.RestartEtcd}
	tests := map[string]struct {
		reason  string
		file    string
		dialect dialects.Dialect
		kinds   []plan.Kind
		at      string
		points  int // 0: it depends on when caches are up to date
	}{
		"V1alpha2": {"Two calls get IDs, and others create, grant, revoke and delete.", v1alpha2, "", lost, "sidecar rpc Driver*", 6},
		"V1alpha1": {"There are no calls for IDs.", v1alpha1, "", lost, "sidecar rpc Driver*", 4},
		"Bridge":   {"It is called six times, and calls the driver four times.", v1alpha2, dialects.V1alpha1, lost, "bridge rpc Driver*", 10},
		"OneMode":  {"The driver is called as often as a driver of v1alpha1.", v1alpha2, dialects.OneMode, lost, "bridge rpc Driver*", 10},
		"Lag":      {"Controller and sidecar watch what the other writes.", v1alpha2, "", lag, "* api * *", 6},
		"TakeOver": {"Another incarnation continues.", v1alpha2, "", takeover, "sidecar rpc Driver*", 6},
		"Outage":   {"The components repeat their writes, and watch again.", v1alpha2, "", outage, "sidecar rpc DriverCreateBucket *", 1},
		"Stale":    {"A sidecar of v1alpha1 does not wait for the event after an old answer.", v1alpha1, "", stale, "sidecar api get *", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts := Options{File: tc.file, Text: text(t, tc.file), Sandboxes: 2, Kinds: tc.kinds, At: tc.at, Emulator: embedded()}
			opts.Emulator.Dialect = tc.dialect
			r, err := Explore(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range r.Findings {
				t.Errorf("%s: %s (confirmed: %t)\nwhy: %s\ncases: %v", g.Oracle, g.Message, g.Confirmed, g.Why, g.Cases)
			}
			want := cmp.Or(tc.points*len(tc.kinds), r.Applicable)
			if want == 0 || r.Applicable != want || r.Tried != want || len(r.Unreached) > 0 {
				t.Errorf("%s %d applicable, %d tried, not reached: %v; want %d, all tried and reached",
					tc.reason, r.Applicable, r.Tried, r.Unreached, want)
			}
		})
	}
}

// TestTimeTravel has the sidecar begin again with lists from before, in which the access is not revoked yet.
func TestTimeTravel(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	const file = "testdata/lifecycle.yaml"
	r, err := Explore(t.Context(), Options{
		File: file, Text: text(t, file), Sandboxes: 2, Kinds: []plan.Kind{plan.TimeTravel}, At: "sidecar rpc DriverRevoke*", Emulator: embedded(),
	})
	if err != nil {
		t.Fatal(err)
	}
	const earlier = 5 // at least: the bucket is created, and the access granted
	if r.Combined < earlier || len(r.Unreached) > 0 || len(r.Findings) > 0 {
		t.Errorf("%d cases, not reached: %v, findings: %v; want at least %d, all reached, without a finding",
			r.Combined, r.Unreached, r.Findings, earlier)
	}
}

// TestExploreOwnIDs tries faults at the calls of a bridge to a driver that chooses IDs, or changes them, which
// the bridge stores. An ID that is lost, or confused with the name, would leak a bucket or an account.
func TestExploreOwnIDs(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	const file = "testdata/lifecycle.yaml"
	for _, ids := range []fakedriver.IDs{fakedriver.IDsOwn, fakedriver.IDsChanging} {
		t.Run(string(ids), func(t *testing.T) {
			opts := Options{
				Emulator: embedded(),
				File:     file, Text: text(t, file), Sandboxes: 2,
				Kinds: []plan.Kind{plan.CrashBefore, plan.CrashAfter, plan.LoseReply, plan.Duplicate}, At: "bridge rpc Driver*",
			}
			opts.Emulator.Dialect, opts.Emulator.DriverIDs = dialects.V1alpha1, ids
			r, err := Explore(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range r.Findings {
				t.Errorf("%s: %s (confirmed: %t)\nwhy: %s\ncases: %v", g.Oracle, g.Message, g.Confirmed, g.Why, g.Cases)
			}
			const calls = 10
			if want := calls * len(opts.Kinds); r.Tried != want || len(r.Unreached) > 0 {
				t.Errorf("%d tried, not reached: %v; want %d, all reached", r.Tried, r.Unreached, want)
			}
		})
	}
}

// forgetful is a backend that returns an unspecific error for a deleted account, so its
// driver cannot revoke twice.
type forgetful struct{ fakedriver.Backend }

func (f forgetful) DeleteAccount(ctx context.Context, owner, id string) error {
	err := f.Backend.DeleteAccount(ctx, owner, id)
	if errors.Is(err, fakedriver.ErrNotExist) {
		return errors.New("the account cannot be deleted")
	}
	return err
}

// TestLongShrink verifies that the bug of a driver is found, and shrunk to a few lines.
func TestLongShrink(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	opts := Options{
		Emulator: embedded(),
		File:     "testdata/claim.yaml", Text: text(t, "testdata/claim.yaml"), Sandboxes: 1, Shrink: true,
		Kinds: []plan.Kind{plan.LoseReply}, At: "sidecar rpc DriverRevoke*", Out: filepath.Join(t.TempDir(), "found"), Program: "./mine",
	}
	opts.Emulator.Implementations.Driver = func(opts fakedriver.Options) (emulator.Server, error) {
		opts.Backend = forgetful{opts.Backend}
		return fakedriver.New(opts)
	}
	r, err := Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || !r.Findings[0].Confirmed {
		t.Fatalf("findings: %+v, want one that is confirmed", r.Findings)
	}
	g := r.Findings[0]
	checkFiles(t, g)
	t.Logf("%s: %s\nwhy: %s\n%s", g.Oracle, g.Message, g.Why, g.Shrunk)
	_, steps, _ := strings.Cut(g.Shrunk, "\nsteps:\n")
	const most = 12
	if lines := strings.Count(steps, "\n"); lines == 0 || lines > most {
		t.Errorf("the steps have %d lines, want at most %d", lines, most)
	}
	if strings.Contains(g.Shrunk, "bystander") {
		t.Error("the unrelated object was not removed")
	}
	if _, err := (spec.Loader{}).Parse("shrunk.yaml", []byte(g.Shrunk)); err != nil {
		t.Errorf("the shrunk scenario is invalid: %v", err)
	}
}

func checkFiles(t *testing.T, g cause.Group) {
	t.Helper()
	if text, err := os.ReadFile(g.File); err != nil || string(text) != g.Shrunk {
		t.Errorf("%s is not the shrunk scenario: %v\n%s", g.File, err, text)
	}
	if page, err := os.ReadFile(g.Timeline); err != nil || !strings.Contains(string(page), "./mine replay "+g.Recording) {
		t.Errorf("invalid timeline: %v", err)
	}
	recorded, err := recording.ReadFile(g.Recording)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Scenario(recorded); err != nil {
		t.Error(err)
	}
	if recorded.End == nil || len(recorded.End.Failures) == 0 || !g.Verified {
		t.Errorf("run alone, the scenario %s, and the recording ends with %+v; want it to fail by %s", g.Rerun, recorded.End, g.Oracle)
	}
}

// full is a backend that cannot hold accounts.
type full struct{ fakedriver.Backend }

func (full) PutAccount(context.Context, fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	return fakedriver.Credentials{}, errors.New("the disk is full")
}

// TestLongWithoutFault verifies that a bug which occurs in every run is reported like others, even
// if a step fails: explained, shrunk and recorded.
func TestLongWithoutFault(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	opts := Options{
		Emulator: embedded(),
		File:     "testdata/claim.yaml", Text: text(t, "testdata/claim.yaml"), Sandboxes: 1, Shrink: true,
		At: "no operation", Out: filepath.Join(t.TempDir(), "found"), Program: "./mine",
	}
	opts.Emulator.Implementations.Driver = func(opts fakedriver.Options) (emulator.Server, error) {
		opts.Backend = full{opts.Backend}
		return fakedriver.New(opts)
	}
	r, err := Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || !r.Findings[0].Confirmed || r.Findings[0].Oracle != run.OracleSteps {
		t.Fatalf("findings: %+v, want one of the oracle %s that is confirmed", r.Findings, run.OracleSteps)
	}
	g := r.Findings[0]
	checkFiles(t, g)
	const why = "driver answered the 1st DriverGrantBucketAccess ba-<BucketAccess/app> with Internal: the object store failed; see its log"
	if g.Why != why {
		t.Errorf("why: %q, want %q", g.Why, why)
	}
	if strings.Contains(g.Shrunk, "bystander") || !strings.Contains(g.Shrunk, "BucketAccess") {
		t.Errorf("want only the claim and the access:\n%s", g.Shrunk)
	}
}

// keeping is a backend that keeps each account that is deleted, as another one.
type keeping struct{ forgetful }

func (k keeping) DeleteAccount(ctx context.Context, owner, id string) error {
	err := k.forgetful.DeleteAccount(ctx, owner, id)
	if err == nil {
		_, err = k.PutAccount(ctx, fakedriver.AccountSpec{Owner: owner, ID: "kept-" + id})
	}
	return err
}

// TestLongBaseline explores a driver that leaks in every run, and has a second bug that only a fault shows. Each
// is a finding of its own: the leak without a fault, and the other without the leak.
func TestLongBaseline(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	opts := Options{
		Emulator: embedded(),
		File:     "testdata/claim.yaml", Text: text(t, "testdata/claim.yaml"), Sandboxes: 1,
		Kinds: []plan.Kind{plan.LoseReply}, At: "sidecar rpc DriverRe*",
	}
	opts.Emulator.Implementations.Driver = func(opts fakedriver.Options) (emulator.Server, error) {
		opts.Backend = keeping{forgetful{opts.Backend}}
		return fakedriver.New(opts)
	}
	r, err := Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 2 || r.Tried == 0 {
		t.Fatalf("%d tried, findings: %+v, want two", r.Tried, r.Findings)
	}
	checkLeakFirst(t, r)
	checkSecond(t, r.Findings[0], r.Findings[1])
}

// checkLeakFirst expects a leak without a fault as the first finding, which a line for the scenario accepts.
func checkLeakFirst(t *testing.T, r *Report) {
	t.Helper()
	leak := r.Findings[0]
	if len(leak.Case) != 0 || leak.Oracle != vocabulary.Leak || !leak.Confirmed {
		t.Errorf("the first finding is %s of %s, confirmed: %t; want a leak without a fault", leak.Oracle, leak.Case, leak.Confirmed)
	}
	if r.Baseline == nil || r.Baseline.Findings != 1 || len(r.Baseline.Allow) != 1 {
		t.Errorf("baseline: %+v, want one finding that can be accepted", r.Baseline)
	}
}

// checkSecond expects the finding of a fault, without the leak.
func checkSecond(t *testing.T, leak, second cause.Group) {
	t.Helper()
	if len(second.Case) == 0 || !strings.Contains(second.Why, "DriverRevokeBucketAccess") || !second.Confirmed {
		t.Errorf("the second finding is %s of %s, because %s, confirmed: %t; want a revocation that fails",
			second.Oracle, second.Case, second.Why, second.Confirmed)
	}
	for _, f := range second.Others {
		if f.Oracle == leak.Oracle && f.Subject == leak.Subject {
			t.Errorf("the fault is blamed for %s", f)
		}
	}
}

// flaky is a backend that never deletes the first account that it is asked for twice.
// It handles all other accounts correctly.
type flaky struct {
	fakedriver.Backend

	mu    sync.Mutex
	asked map[string]bool
	stuck string
}

func (m *flaky) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked[spec.ID] && m.stuck == "" {
		m.stuck = spec.ID
	}
	m.asked[spec.ID] = true
	return m.Backend.PutAccount(ctx, spec)
}

func (m *flaky) DeleteAccount(ctx context.Context, owner, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stuck == id {
		return errors.New("the account cannot be deleted")
	}
	return m.Backend.DeleteAccount(ctx, owner, id)
}

// TestLongSeenOnce verifies the report of a finding that does not occur again.
func TestLongSeenOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts control planes")
	}
	opts := Options{
		Emulator: embedded(),
		File:     "testdata/claim.yaml", Text: text(t, "testdata/claim.yaml"), Sandboxes: 1, Shrink: true,
		Kinds: []plan.Kind{plan.LoseReply}, At: "sidecar rpc DriverGrant*", Out: filepath.Join(t.TempDir(), "found"),
	}
	backend := &flaky{asked: map[string]bool{}}
	opts.Emulator.Implementations.Driver = func(opts fakedriver.Options) (emulator.Server, error) {
		backend.mu.Lock()
		defer backend.mu.Unlock()
		backend.Backend, opts.Backend = opts.Backend, backend
		return fakedriver.New(opts)
	}
	r, err := Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		t.Fatalf("findings: %+v, want one", r.Findings)
	}
	if g := r.Findings[0]; g.Confirmed || g.Runs != 1+confirmingRuns || g.Shrunk != "" || g.File != "" {
		t.Errorf("%+v, want it seen once in %d runs, and not shrunk", g, 1+confirmingRuns)
	}
}

// TestLongSteady tries a sample of the faults in the scenarios that end with everything up, and
// expects no findings. Make explore-steady tries all.
func TestLongSteady(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/suite/steady/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v; want at least 4", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			const few = 40
			r, err := Explore(t.Context(), Options{
				File: file, Text: text(t, file), Sandboxes: 2, Sample: few, Seed: 1, Prune: plan.PruneStep, Emulator: embedded(),
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Tried == 0 {
				t.Error("no effect was tried")
			}
			for _, g := range r.Findings {
				t.Errorf("%s: %s (confirmed: %t)\nwhy: %s\ncases: %v", g.Oracle, g.Message, g.Confirmed, g.Why, g.Cases)
			}
		})
	}
}
