package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestImplementations runs a story with components that the emulator did not make: they
// cross the same seams, faults affect them, and a crash restarts them.
func TestImplementations(t *testing.T) {
	t.Parallel()
	var controllers, sidecars, drivers atomic.Int32
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		Controller: func(cfg *rest.Config, logger logr.Logger) (emulator.Runner, error) {
			controllers.Add(1)
			return cosicontroller.New(cfg, cosicontroller.Options{Logger: logger})
		},
		Sidecar: func(ctx context.Context, cfg *rest.Config, to emulator.SidecarConnection, logger logr.Logger) (emulator.Runner, error) {
			sidecars.Add(1)
			return cosisidecar.New(ctx, cfg, cosisidecar.Options{Endpoint: to.Endpoint, DialOptions: to.DialOptions, Logger: logger})
		},
		Driver: func(opts fakedriver.Options) (emulator.Server, error) {
			drivers.Add(1)
			return fakedriver.New(opts)
		},
	}})
	for _, f := range []struct {
		name, component, operation string
		seam                       journal.Seam
		effect                     fault.Effect
	}{
		{"dies", "driver", "DriverCreateBucket", journal.SeamRPC, fault.Effect{Crash: fault.After}},
		{"rejected", "controller", "create buckets", journal.SeamAPI, fault.Effect{Fail: "503"}},
		{"cut", "sidecar", "create secrets", journal.SeamAPI, fault.Effect{Crash: fault.Before}},
	} {
		inject(t, emu, f.name, fault.Match{Seam: f.seam, Component: f.component, Operation: f.operation, Nth: 1}, f.effect)
	}
	serveByDriver(t, emu, emu.Info().DriverName, "own")
	for name, got := range map[string][2]int32{
		"controllers": {controllers.Load(), 1}, "sidecars": {sidecars.Load(), 2}, "drivers": {drivers.Load(), 2},
	} {
		if got[0] != got[1] {
			t.Errorf("%d %s were made, want %d", got[0], name, got[1])
		}
	}
	expectFaults(t, emu, map[string]string{
		"dies": "driver DriverCreateBucket Fenced", "rejected": "controller create buckets ServiceUnavailable",
		"cut": "sidecar create secrets Fenced",
	})
}

// TestRightsOfManifest has components with the rights of manifests of their own.
func TestRightsOfManifest(t *testing.T) {
	t.Parallel()
	const rbac = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: mine, namespace: my-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: mine}
rules: [{apiGroups: [objectstorage.k8s.io], resources: [bucketclasses], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: mine}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: mine}
subjects: [{kind: ServiceAccount, name: mine, namespace: my-system}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ignored, namespace: my-system}
`
	users := make(chan *rest.Config, 1)
	own := func(cfg *rest.Config, _ logr.Logger) (emulator.Runner, error) {
		users <- cfg
		return harness.Inactive{}, nil
	}
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true, Implementations: emulator.Implementations{
		Controller: own, ControllerRBAC: []byte(rbac),
	}})
	user, err := client.New(<-users, client.Options{Scheme: emu.Client().Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := user.List(t.Context(), &v1alpha2.BucketClassList{}); err != nil {
		t.Errorf("a right of the manifest: %v", err)
	}
	err = user.List(t.Context(), &v1alpha2.BucketList{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:serviceaccount:my-system:mine") {
		t.Errorf("a right of deploy/rbac: %v, want Forbidden for my-system:mine", err)
	}
}

// TestRightsRejected has manifests without a subject of the rights.
func TestRightsRejected(t *testing.T) {
	const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n"
	for name, manifest := range map[string]string{
		"no ServiceAccount": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
		"two":               account + "---\n" + account,
		"no YAML":           "{",
	} {
		_, err := emulator.Start(t.Context(), emulator.Options{Implementations: emulator.Implementations{SidecarRBAC: []byte(manifest)}})
		if !errors.Is(err, emulator.ErrOptions) {
			t.Errorf("%s: Start() = %v, want %v", name, err, emulator.ErrOptions)
		}
	}
	existing := emulator.Options{
		Cluster: &emulator.ExistingCluster{}, Implementations: emulator.Implementations{ControllerRBAC: []byte(account)},
	}
	if _, err := emulator.Start(t.Context(), existing); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("in an existing cluster: Start() = %v, want %v", err, emulator.ErrOptions)
	}
}

// inject puts a fault into force.
func inject(t *testing.T, emu *emulator.Emulator, name string, match fault.Match, effect fault.Effect) {
	t.Helper()
	if err := emu.Faults().Add(fault.Fault{Name: name, Match: match, Effect: effect}); err != nil {
		t.Fatal(err)
	}
}

// expectFaults waits until the journal has the operations that faults were applied to, one each, apart
// from the crashes that they have caused: a client can have its answer before the journal has the operation.
func expectFaults(t *testing.T, emu *emulator.Emulator, want map[string]string) {
	t.Helper()
	for name, operation := range want {
		harness.Eventually(t, "fault "+name, func(context.Context) error {
			var got []string
			for _, e := range faulted(emu, name) {
				got = append(got, e.Component+" "+e.Operation.Name+" "+e.Outcome)
			}
			if len(got) != 1 || got[0] != operation {
				return fmt.Errorf("it was applied to %q, want only %q", got, operation)
			}
			return nil
		})
	}
}

// faulted are the operations that a fault was applied to.
func faulted(emu *emulator.Emulator, name string) (events []journal.Event) {
	for _, e := range emu.Journal().Since(0) {
		if e.Fault == name && e.Seam != journal.SeamProcess {
			events = append(events, e)
		}
	}
	return events
}
