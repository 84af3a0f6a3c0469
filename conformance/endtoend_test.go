package conformance_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// testEndToEnd runs the profile End-to-End, or some of its checks.
func testEndToEnd(t *testing.T, endpoint string, only ...string) *conformance.Report {
	t.Helper()
	return testEndToEndOf(t, "", endpoint, only...)
}

// testEndToEndOf is testEndToEnd for a driver that is not asked for its dialect.
func testEndToEndOf(t *testing.T, dialect dialects.Dialect, endpoint string, only ...string) *conformance.Report {
	t.Helper()
	plane, err := controlplanetest.Kind()
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Execute(t.Context(), conformance.Config{
		Endpoint: endpoint, Dialect: dialect, Profiles: []string{"End-to-End"}, Only: only, Seed: "test",
		ControlPlaneKind: emulator.ControlPlaneKind(plane),
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestEndToEnd: the fake driver passes a check of the profile End-to-End.
func TestEndToEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	t.Parallel()
	d := serve(t, setup{socket: true})
	d.wantAll(testEndToEnd(t, d.endpoint, "EE-01", "EE-03"))
}

// TestEndToEndOfDialect: a driver of an earlier dialect passes checks of the profile End-to-End behind
// the emulator's bridge, also one with an access mode.
func TestEndToEndOfDialect(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	t.Parallel()
	d, config := serveDialect(t, dialects.OneMode, passOn)
	report := testEndToEnd(t, config.Endpoint, "EE-01", "EE-11")
	d.wantAll(report)
	for _, result := range report.Results {
		if result.State != conformance.Pass {
			t.Error(result.Explain())
		}
	}
}

// TestLongEndToEnd: the fake driver passes the profile End-to-End, in both generations, in earlier
// dialects and behind a bridge.
func TestLongEndToEnd(t *testing.T) {
	for _, generation := range []dialects.Dialect{dialects.V1alpha1, dialects.KEP} {
		t.Run(string(generation), func(t *testing.T) {
			d := serve(t, setup{socket: true, options: fakedriver.Options{Dialect: generation}})
			report := testEndToEnd(t, d.endpoint)
			d.wantAll(report)
			if got := verdicts(report)["End-to-End"]; got != conformance.Conformant {
				t.Errorf("End-to-End: %s, want %s", got, conformance.Conformant)
			}
		})
	}
	for _, dialect := range earlierDialects() {
		t.Run(string(dialect), func(t *testing.T) {
			d, config := serveDialect(t, dialect, passOn)
			report := testEndToEndOf(t, dialect, config.Endpoint)
			d.wantAll(report)
			if got := verdicts(report)["End-to-End"]; got != conformance.Conformant {
				t.Errorf("End-to-End: %s, want %s", got, conformance.Conformant)
			}
		})
	}
	t.Run("bridge", func(t *testing.T) {
		endpoint := "unix://" + t.TempDir() + "/b.sock"
		listener, err := fakedriver.Listen(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		b := serveBridge(t, func() net.Listener { return listener })
		report := testEndToEnd(t, endpoint)
		b.wantAll(report)
		if got := verdicts(report)["End-to-End"]; got != conformance.Conformant {
			t.Errorf("End-to-End: %s, want %s", got, conformance.Conformant)
		}
	})
}

// TestLongEndToEndMutants: the profile End-to-End finds mistakes, too.
func TestLongEndToEndMutants(t *testing.T) {
	for name, tc := range map[string]struct {
		behaviour behaviour
		want      []string
		alone     bool // others fail, too
	}{
		"a repetition already exists": {behaviour: named("repeated Create already exists"), want: []string{"EE-03", "EE-04", "EE-05", "EE-20"}},
		"credentials are wrong":       {behaviour: everySecondKeyIsWrong(), want: []string{"EE-08"}, alone: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, setup{socket: true, behaviour: func(*sync.Map) behaviour { return tc.behaviour }})
			var failed, only []string
			if *sample > 0 || tc.alone {
				only = tc.want[:1] // the others take minutes, which the nightly run has
			}
			for _, result := range testEndToEnd(t, d.endpoint, only...).Results {
				if result.State == conformance.Fail {
					failed = append(failed, result.Check.ID)
				}
			}
			want := tc.want
			if only != nil {
				want = only
			}
			if diff := cmp.Diff(want, failed); diff != "" {
				t.Errorf("failed checks: -want, +got:\n%s", diff)
			}
		})
	}
}

// named returns the behaviour of a mutant.
func named(name string) behaviour {
	all := mutants()
	return all[slices.IndexFunc(all, func(m mutant) bool { return m.name == name })].behaviour(&sync.Map{})
}

// everySecondKeyIsWrong returns the secret of another key with every second account.
func everySecondKeyIsWrong() behaviour {
	var count atomic.Int32
	return func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		m, _ := r.(*grant)
		if g, ok := response.(*granted); ok && m.GetAccountId() != "" && g.GetCredentials().GetS3() != nil && count.Add(1)%2 == 0 {
			g.Credentials.S3.AccessSecretKey += "lost"
		}
		return response, err
	}
}
