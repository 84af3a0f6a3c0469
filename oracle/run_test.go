package oracle_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/oracle"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// forgetful is a backend that deletes no bucket, and reports success.
type forgetful struct{ fakedriver.Backend }

func (forgetful) DeleteBucket(context.Context, string, string) error { return nil }

// start starts an emulator, whose driver may be forgetful.
func start(t *testing.T, forgets bool) *emulator.Emulator {
	t.Helper()
	return emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		Driver: func(options fakedriver.Options) (emulator.Server, error) {
			if forgets {
				options.Backend = forgetful{options.Backend}
			}
			return fakedriver.New(options)
		},
	}})
}

// live makes a claim, and deletes it.
func live(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	user := &cluster.Cluster{TB: t, Client: emu.Client(), Namespace: emulatortest.Namespace(t)}
	claim := emulatortest.Claim(t, emu, user.Namespace, "photos")
	user.Remove(claim)
	user.WaitGone(claim)
}

func TestFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		forgets bool
		oracles []string
		want    []string
	}{
		"Correct":   {reason: "The emulator's own components do nothing wrong."},
		"Forgetful": {reason: "The bucket is left.", forgets: true, want: []string{oracle.Leak}},
		"Unasked":   {reason: "Other oracles were asked.", forgets: true, oracles: []string{oracle.Order, oracle.Silence}},
	} {
		t.Run(name, func(t *testing.T) {
			emu := start(t, tc.forgets)
			run, err := oracle.Start(t.Context(), emu)
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			live(t, emu)
			if err := run.Observe(t.Context(), "at the end"); err != nil {
				t.Fatal(err)
			}
			found := findings(t, run, tc.oracles...)
			if diff := cmp.Diff(tc.want, found); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !tc.forgets || tc.oracles != nil {
				return
			}
			all, err := run.Findings()
			if err != nil {
				t.Fatal(err)
			}
			if events := all[0].Events; len(events) == 0 || events[0].Operation.Name != "DriverCreateBucket" {
				t.Errorf("%s is proved by %v, want the call that has created the bucket", all[0], events)
			}
			run.MarkExternal(strings.TrimPrefix(all[0].Subject, "bucket "))
			if found := findings(t, run); found != nil {
				t.Errorf("the caller has said that the bucket is its own: %v", found)
			}
		})
	}
}

// findings returns the oracles that have found something.
func findings(t *testing.T, run *oracle.Run, oracles ...string) []string {
	t.Helper()
	found, err := run.Findings(oracles...)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Oracle)
	}
	return names
}

func TestNames(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	run, err := oracle.Start(t.Context(), emu)
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	run.Close()
	if _, err := run.Findings("leek"); err == nil || !strings.Contains(err.Error(), "leak, loss") {
		t.Errorf("got %v, want the names of the oracles", err)
	}
	for _, name := range oracle.Names() {
		if oracle.About(name) == "" {
			t.Errorf("%s has no description", name)
		}
	}
	if oracle.About("leek") != "" || !slices.Contains(oracle.Names(), oracle.Leak) {
		t.Error("the list of names is wrong")
	}
}
