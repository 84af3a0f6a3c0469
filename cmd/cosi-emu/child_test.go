package main_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestChildrenKilled runs `cosi-emu controller` and `cosi-emu sidecar` as processes at the seams of
// an emulator. Faults kill them in the middle of their work, and the test by their process IDs. The
// journal records each death, and no more work than the recovery needs.
func TestChildrenKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		ControllerCommand: []string{
			h.program(), "controller", "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)",
		},
		SidecarCommand: []string{
			h.program(), "sidecar", "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)",
			"--endpoint=$(COSI_ENDPOINT)", "--dialect=kep",
		},
	}})
	for name, f := range map[string]struct {
		seam                 journal.Seam
		component, operation string
		crash                string
	}{
		"bound":   {journal.SeamAPI, emulator.ComponentController, "create buckets", fault.After},
		"made":    {journal.SeamRPC, emulator.ComponentSidecar, "DriverCreateBucket", fault.After},
		"granted": {journal.SeamRPC, emulator.ComponentSidecar, "DriverGrantBucketAccess", fault.Before},
	} {
		match := fault.Match{Seam: f.seam, Component: f.component, Operation: f.operation, Nth: 1}
		if err := emu.Faults().Add(fault.Fault{Name: name, Match: match, Effect: fault.Effect{Crash: f.crash}}); err != nil {
			t.Fatal(err)
		}
	}
	claim, access := application(emulatortest.Namespace(t))
	for _, object := range []client.Object{claim, access} {
		if err := emu.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	harness.Until(t, "the access is ready", func(ctx context.Context) (bool, error) {
		err := emu.Client().Get(ctx, client.ObjectKeyFromObject(access), access)
		return access.Status.ReadyToUse, err
	})
	h.killFromOutside(emu, emulator.ComponentController)
	h.killFromOutside(emu, emulator.ComponentSidecar)
	const granted = "sidecar DriverGrantBucketAccess OK"
	harness.Until(t, "the new sidecar has had the access granted once more", func(context.Context) (bool, error) {
		return counted(emu)[granted] >= 2, nil
	})
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(claim.UID)}}
	for _, object := range []client.Object{access, claim} {
		if err := emu.Client().Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range []client.Object{claim, bucket} { // the access must end before the claim
		harness.Until(t, object.GetName()+" is gone", func(ctx context.Context) (bool, error) {
			err := emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	}
	want := map[string]int{
		"controller crash OK": 1, "controller fail Error": 1, "sidecar crash OK": 2, "sidecar fail Error": 1,
		"sidecar DriverCreateBucket Fenced": 1, "sidecar DriverCreateBucket OK": 1,
		"sidecar DriverGrantBucketAccess Fenced": 1, granted: 2,
		"sidecar DriverRevokeBucketAccess OK": 1, "sidecar DriverDeleteBucket OK": 1,
		"driver AdminCreateBucket OK": 2, "driver AdminPutAccount OK": 2,
		"controller create buckets Fenced": 1,
	}
	if diff := cmp.Diff(want, counted(emu)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// killFromOutside kills the process of a component, and waits until the emulator has noticed, and has started
// another one.
func (h *home) killFromOutside(emu *emulator.Emulator, name string) {
	h.t.Helper()
	found := harness.Processes(h.t, h.program()+" "+name)
	if len(found) != 1 {
		h.t.Fatalf("processes of the %s: %q, want one", name, found)
	}
	pid, err := strconv.Atoi(strings.Fields(found[0])[0])
	if err != nil {
		h.t.Fatal(err)
	}
	mark := emu.Journal().Mark()
	kill(h.t, pid)
	var steps []string
	harness.Until(h.t, "the "+name+" is restarted", func(context.Context) (bool, error) {
		steps = nil
		for _, e := range emu.Journal().Since(mark) {
			if e.Component == name && e.Seam == journal.SeamProcess {
				steps = append(steps, e.Operation.Name+" "+e.Message)
			}
		}
		return len(steps) >= 3, nil
	})
	if !strings.Contains(steps[0], "killed") || !strings.HasPrefix(steps[2], journal.StepReady) {
		h.t.Errorf("the journal has %q, want that the process was killed, and that another is ready", steps)
	}
}

// counted counts deaths, and operations that must not be repeated needlessly.
func counted(emu *emulator.Emulator) map[string]int {
	work := map[string]bool{
		"crash": true, "fail": true, "DriverCreateBucket": true, "DriverGrantBucketAccess": true, "DriverRevokeBucketAccess": true,
		"DriverDeleteBucket": true, "AdminCreateBucket": true, "AdminPutAccount": true, "create buckets": true,
	}
	all := map[string]int{}
	for _, e := range emu.Journal().Since(0) {
		if ofDriver := e.Component == emulator.ComponentDriver && e.Seam == journal.SeamRPC; work[e.Operation.Name] && !ofDriver {
			all[fmt.Sprintf("%s %s %s", e.Component, e.Operation.Name, e.Outcome)]++
		}
	}
	return all
}

func application(namespace string) (*v1alpha2.BucketClaim, *v1alpha2.BucketAccess) {
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "c"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a"},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: claim.Name, AccessSecretName: "key",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
	return claim, access
}
