package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// TestBystander verifies that a change of the bystander is a finding, and that the sandbox is
// replaced. The bystander is no part of a run.
func TestBystander(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	m, err := w.observe(t.Context(), "at the beginning")
	if err != nil || !isEmpty(m) {
		t.Fatalf("the sandbox is not empty: %+v, %v", m.Objects, err)
	}
	r := &running{sandbox: w, context: t.Context()}
	if err := r.judgeBystander(); err != nil || len(r.seen.Found) > 0 {
		t.Fatalf("findings %v, error %v", r.seen.Found, err)
	}
	touchBystander(t, w)
	if err := r.judgeBystander(); err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, f := range r.seen.Found {
		subjects = append(subjects, f.Subject)
	}
	if got, want := strings.Join(subjects, ", "), "BucketClaim/bystander, account of BucketAccess/bystander"; got != want {
		t.Errorf("findings about %s, want %s", got, want)
	}
	if _, err := w.Reset(t.Context(), &r.seen); err == nil {
		t.Error("a sandbox whose bystander has changed is used again")
	}
}

// TestBystanderIsGrantedAgain verifies that a sidecar which restarts and grants the bystander's
// access again does not affect the run: it neither tries the key, nor counts the grant.
func TestBystanderIsGrantedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	r := &running{sandbox: w, context: t.Context(), from: w.Emulator.Journal().Mark(), scenario: &spec.Scenario{Name: "nothing"}}
	var err error
	if r.watcher, err = watch.Start(t.Context(), w.Emulator); err != nil {
		t.Fatal(err)
	}
	restartSidecar(t, w)
	granted := func(e journal.Event) bool { return e.Operation.Name == "DriverGrantBucketAccess" && !e.Failed() }
	err = wait.PollUntilContextTimeout(t.Context(), pollInterval, time.Minute, true, func(context.Context) (bool, error) {
		r.seen.Events = w.Emulator.Journal().Since(r.from)
		return slices.ContainsFunc(r.seen.Events, granted), nil
	})
	if err != nil {
		t.Fatalf("the sidecar has not granted the access again: %v", err)
	}
	r.idle = idle.New(w.Emulator)
	if !w.waitQuiet(t.Context(), r.idle, quietForSure) {
		t.Fatal("the sandbox is not idle")
	}
	if err := errors.Join(r.readEnd(true), r.judgeBystander()); err != nil {
		t.Fatal(err)
	}
	r.complete()
	if len(r.seen.End.KeyUses) > 0 || len(r.seen.Found) > 0 || len(r.seen.Counts) > 0 {
		t.Errorf("keys used %v, findings %v, counts %v; want none", r.seen.End.KeyUses, r.seen.Found, r.seen.Counts)
	}
}

func restartSidecar(t *testing.T, w *Sandbox) {
	t.Helper()
	for _, c := range w.Emulator.Components() {
		if !emulator.IsSidecar(c.Name()) {
			continue
		}
		if err := errors.Join(c.Crash(), w.recreate(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
}

func interferenceSandbox(t *testing.T) *Sandbox {
	t.Helper()
	plane, err := selection.Choose(t.Context(), kind.Embedded, binaries.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, RPCTimeout: plan.DefaultCallTimeout}
	w, err := newSandbox(t.Context(), Options{Emulator: opts, Plane: &plane, Interference: true, Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return w
}

// touchBystander changes the claim of the bystander, and deletes its account.
func touchBystander(t *testing.T, w *Sandbox) {
	t.Helper()
	claim := &v1alpha2.BucketClaim{}
	claim.Name, claim.Namespace = run.Bystander, run.Bystander
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"touched":"true"}}}`))
	if err := w.Emulator.Client().Patch(t.Context(), claim, patch); err != nil {
		t.Fatal(err)
	}
	if err := w.Emulator.Store().DeleteAccount(t.Context(), w.Emulator.Info().DriverName, w.bystander.account); err != nil {
		t.Fatal(err)
	}
}
