package emulator_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
)

// TestDriverLosesData has the driver come back without the buckets that it provisioned for a story,
// by hand and by a fault at its n-th call: other owners' buckets stay, and COSI still deletes the
// story's objects.
func TestDriverLosesData(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	foreign := fakedriver.BucketSpec{Name: "foreign", Owner: "other"}
	if _, err := emu.Store().CreateBucket(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func(*testing.T){
		"ByHand": func(t *testing.T) {
			t.Helper()
			driver := emu.Component(emulator.ComponentDriver)
			if err := errors.Join(driver.Crash(), driver.Forget(t.Context()), driver.Start(t.Context())); err != nil {
				t.Fatal(err)
			}
		},
		"ByFault": func(t *testing.T) {
			t.Helper()
			inject(t, emu, "amnesia", fault.Match{
				Seam: journal.SeamRPC, Component: emulator.ComponentDriver, Operation: "DriverRevokeBucketAccess", Nth: 1,
			}, fault.Effect{Crash: fault.Before, Forget: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			mark := emu.Journal().Mark()
			s := newStory(t, emu)
			s.create(s.claim, s.access)
			s.waitReady()
			want := administration.DataLoss{
				Buckets: []string{s.secret()["BUCKET_NAME"]}, Accounts: []string{s.access.Status.AccountID},
			}
			lose(t)
			s.delete(s.access)
			s.delete(s.claim)
			s.waitGone(s.access)
			s.waitDeprovisioned()
			if diff := cmp.Diff([]administration.DataLoss{want}, lostSince(t, emu, mark)); diff != "" {
				t.Errorf("what was lost: -want, +got:\n%s", diff)
			}
		})
	}
	expectFaults(t, emu, map[string]string{"amnesia": "driver DriverRevokeBucketAccess Fenced"})
	if _, err := emu.Store().GetBucket(t.Context(), foreign.Name); err != nil {
		t.Errorf("what is not the driver's: %v, want it to stay", err)
	}
	serveByDriver(t, emu, emu.Info().DriverName, "again")
}

// TestStoreWithoutMemory has the store lose everything but its root key.
func TestStoreWithoutMemory(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS}})
	for name, protocol := range map[string]fakedriver.Protocol{"photos": fakedriver.ProtocolS3, "videos": fakedriver.ProtocolGCS} {
		if _, err := emu.Store().CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: "o", Protocol: protocol}); err != nil {
			t.Fatal(err)
		}
	}
	component := emu.Component(emulator.ComponentStore)
	if err := errors.Join(component.Stop(t.Context()), component.Forget(t.Context()), component.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := []administration.DataLoss{{Buckets: []string{"photos", "videos"}}}
	if diff := cmp.Diff(want, lostSince(t, emu, 0)); diff != "" {
		t.Errorf("what was lost: -want, +got:\n%s", diff)
	}
	accounts, err := emu.Store().Accounts(t.Context())
	if err != nil || len(accounts) != 1 || accounts[0].ID != emulator.RootAccount {
		t.Errorf("accounts: %v, %v; want only the root account", accounts, err)
	}
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar, "etcd", "sidecar.2"} {
		if err := emu.Component(name).Forget(t.Context()); !errors.Is(err, emulator.ErrNothingKept) {
			t.Errorf("%s forgets: %v, want ErrNothingKept", name, err)
		}
	}
}

// lostSince returns the data losses in the journal since a mark.
func lostSince(t *testing.T, emu *emulator.Emulator, mark uint64) []administration.DataLoss {
	t.Helper()
	var all []administration.DataLoss
	for _, e := range emu.Journal().Since(mark) {
		if e.Seam != journal.SeamProcess || e.Operation.Name != journal.StepForget {
			continue
		}
		var lost administration.DataLoss
		if err := json.Unmarshal(e.Response, &lost); err != nil {
			t.Fatal(err)
		}
		all = append(all, lost)
	}
	return all
}
