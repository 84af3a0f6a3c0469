package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// TestStory is the product in one test: a claim becomes a bucket that a real
// client uses, and goes again.
// KEP: FLOW-PODS-1, SECRET-3, TEST-3
func TestStory(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()

	secret := s.secret()
	if diff := cmp.Diff([]string{
		"AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_S3_ADDRESSING_STYLE",
		"AWS_SECRET_ACCESS_KEY", "BUCKET_NAME", "COSI_PROTOCOL",
	}, keys(secret)); diff != "" {
		t.Errorf("keys of the Secret: -want, +got:\n%s", diff)
	}
	b := openBucket(secret)
	if err := b.put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatal(err)
	}
	listed, err := b.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello.txt"}, listed); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}

	s.delete(s.access)
	s.waitGone(s.access)
	_, err = b.list(t.Context())
	if api, ok := errors.AsType[smithy.APIError](err); !ok || api.ErrorCode() != "InvalidAccessKeyId" {
		t.Errorf("the key after the access is gone: %v, want InvalidAccessKeyId", err)
	}
	s.delete(s.claim)
	s.waitDeprovisioned()
	expectEmptyStore(t, emu)
	expectNoSecret(t, emu, secret)
}

func keys(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func expectEmptyStore(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	buckets, err := emu.Store().Buckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := emu.Store().Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	accounts = slices.DeleteFunc(accounts, func(a fakedriver.Account) bool { return a.ID == emulator.RootAccount })
	if len(buckets) > 0 || len(accounts) > 0 {
		t.Errorf("the store still has buckets %v and accounts %v", buckets, accounts)
	}
}

// expectNoSecret looks for a secret in everything that the emulator has written.
func expectNoSecret(t *testing.T, emu *emulator.Emulator, secret map[string]string) {
	t.Helper()
	written, err := os.ReadFile(emu.Info().Journal)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(written), secret["AWS_ACCESS_KEY_ID"]) {
		t.Error("the journal does not even have the access key ID: the test looks in the wrong place")
	}
	if strings.Contains(string(written), secret["AWS_SECRET_ACCESS_KEY"]) {
		t.Error("the journal has the secret access key")
	}
}

// TestCrash crashes each component in the middle of a story and starts it again.
// KEP: PRR-4
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{
		emulator.ComponentController, emulator.ComponentSidecar, emulator.ComponentDriver, emulator.ComponentStore,
	} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{})
			s := newStory(t, emu)
			s.create(s.claim)
			component := emu.Component(victim)
			if err := component.Crash(); err != nil {
				t.Fatal(err)
			}
			s.create(s.access)
			mark := emu.Journal().Mark()
			if err := component.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.waitReady()
			if err := openBucket(s.secret()).put(t.Context(), "hello.txt", "hello"); err != nil {
				t.Error(err)
			}
			for _, e := range emu.Journal().Since(mark) {
				if e.Component == victim && e.Incarnation == 1 && e.Outcome == journal.OutcomeOK {
					t.Errorf("the crashed %s has done this after its death: %s", victim, e)
				}
			}
		})
	}
}

// TestSilence proves that components write nothing and call no driver while nothing
// changes. (The benchmark watches for longer.)
// KEP: PRR-5
func TestSilence(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	mark := settled(t, emu)
	const window = 3 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), window)
	defer cancel()
	for e := range emu.Journal().Follow(ctx, mark) {
		if e.Write() || e.Seam == journal.SeamRPC {
			t.Errorf("not silent: %s", e)
		}
	}
}

// settled waits until nothing has happened for a moment.
func settled(t *testing.T, emu *emulator.Emulator) uint64 {
	t.Helper()
	const quiet = 500 * time.Millisecond
	for {
		mark := emu.Journal().Mark()
		ctx, cancel := context.WithTimeout(t.Context(), quiet)
		busy := false
		for range emu.Journal().Follow(ctx, mark) {
			busy = true
			break
		}
		cancel()
		if !busy {
			return mark
		}
	}
}

func TestStopLeavesNothing(t *testing.T) {
	plane := controlplanetest.Start(t)
	before := goleak.IgnoreCurrent()
	emu, err := emulator.Start(t.Context(), emulator.Options{ControlPlane: plane})
	if err != nil {
		t.Fatal(err)
	}
	dir := emu.Info().Dir
	for range 2 {
		if err := emu.Stop(t.Context()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	for _, c := range emu.Components() {
		if err := c.Start(t.Context()); !errors.Is(err, emulator.ErrWrongState) {
			t.Errorf("Start of %s after Stop = %v, want ErrWrongState", c.Name(), err)
		}
	}
	leaks.Check(t, before)
}

// TestRights proves that the components have the rights of deploy/, and no others.
// KEP: CHANGE-4, OVER-2, RBAC-1, RBAC-2, RBAC-6
func TestRights(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	for _, e := range emu.Journal().Since(0) {
		if e.Outcome == "Forbidden" {
			t.Errorf("a component lacks a right: %s", e)
		}
		if e.Component == emulator.ComponentSidecar && e.Seam == journal.SeamAPI && strings.Contains(e.Operation.Name, "bucketclaims") {
			t.Errorf("the sidecar must not look at claims: %s", e)
		}
	}
}

func TestJournalOnDisk(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	file, err := os.Open(emu.Info().Journal)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	want := emu.Journal().Since(0)
	decoder := json.NewDecoder(file)
	for _, e := range want {
		var got journal.Event
		if err := decoder.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Seq != e.Seq || got.Operation != e.Operation {
			t.Fatalf("the file has %s, the memory %s", got, e)
		}
	}
}
