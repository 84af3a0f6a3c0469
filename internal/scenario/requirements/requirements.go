// Package requirements finds out what a scenario requires of an emulator, and whether it can run
// beside other scenarios.
package requirements

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Emulator describes an emulator that shall run scenarios.
type Emulator struct {
	description.Info

	HasStore, HasControlPlane, HasDriverProcess bool
	// OwnDriver means that the driver is the user's, so that only the driver sees its backend.
	OwnDriver bool
	// AllowExec lets scenarios run programs.
	AllowExec bool
	// NoS3 means that the driver has no S3 service.
	NoS3 bool
}

// Unmet returns the first requirement of a scenario that this emulator or
// cluster does not meet, or "".
func (e Emulator) Unmet(s *spec.Scenario) string {
	if s.API() != e.API {
		return fmt.Sprintf("it is for the kinds of %s: requires an emulator that serves them", s.API())
	}
	if file := s.SnapshotFile(); file != "" && !e.startedFrom(file) {
		return "it starts from a snapshot: requires an emulator of its own, with the fake driver and its own control plane"
	}
	if reason := e.unmetPods(s); reason != "" {
		return reason
	}
	for _, need := range []struct {
		missing bool
		reason  string
		of      func(spec.Step) bool
	}{
		{!e.AllowExec, "it runs a program: requires --allow-exec", verbIs("exec")},
		{!e.HasStore && !e.OwnDriver, "it inspects the backend: requires the fake driver", verbIs("backend")},
		{e.OwnDriver, "it changes the backend: requires the fake driver", changesBackend},
		{e.OwnDriver, "it disturbs the store: requires the fake driver", disturbsStore},
		{e.OwnDriver && !e.HasDriverProcess, "it disturbs the driver's process: requires --driver-cmd or the fake driver", disturbsDriver},
		{e.OwnDriver, "it uses S3 with a token of a ServiceAccount, which the store must trust: requires the fake driver", usesToken},
		{e.DriverEndpoint == "", "it calls a driver: requires a driver", verbIs("call")},
		{!e.HasControlPlane, "it stops control plane processes: requires the emulator's own control plane", requiresControlPlane},
		{!e.LeaderElection, "it takes Leases: requires --leader-elect", requiresLease},
	} {
		if need.missing && spec.AnyStep(s.Steps, need.of) {
			return need.reason
		}
	}
	if reason := e.unmetLabel(s); reason != "" {
		return reason
	}
	return e.unmetDrivers(s)
}

// unmetDrivers returns the requirement of the setup's drivers that this emulator does not meet, or
// "".
func (e Emulator) unmetDrivers(s *spec.Scenario) string {
	ownFake := func(d spec.Driver) bool { return d.Socket == "" }
	switch fakes := slices.ContainsFunc(s.Setup.Drivers, ownFake); {
	case e.OwnDriver && !canStandIn(&s.Setup):
		return "it starts several drivers, or drivers with parameters or capabilities: requires the fake driver"
	case !e.HasStore && !e.OwnDriver && fakes:
		return "it starts fake drivers: requires the emulator's store"
	}
	return ""
}

// canStandIn reports whether the user's driver can replace the driver of a setup: there is one, and
// it needs nothing that only a fake driver has.
func canStandIn(setup *spec.Setup) bool {
	if len(setup.Drivers) > 1 {
		return false
	}
	return !slices.ContainsFunc(setup.Drivers, func(d spec.Driver) bool {
		onlyS3 := len(d.Protocols) == 0 || slices.Equal(d.Protocols, []string{"S3"})
		return d.Socket == "" && (!onlyS3 || len(d.AccessModes) > 0 || d.MultiBucket != nil && !*d.MultiBucket || len(d.Parameters) > 0)
	})
}

// startedFrom reports whether the emulator has started from a snapshot.
func (e Emulator) startedFrom(file string) bool {
	path, err := filepath.Abs(file)
	return err == nil && e.Snapshot == path
}

// unmetPods returns the requirement of the setup's images that this emulator does not meet, or "".
func (e Emulator) unmetPods(s *spec.Scenario) string {
	switch {
	case len(s.Setup.Images) == 0:
		return ""
	case !e.AllowExec:
		return "it runs programs of this machine as Pods: requires --allow-exec"
	case !e.runsPods():
		return "it maps images to commands: requires an emulator of its own, with its own control plane"
	}
	return ""
}

// runsPods reports whether the emulator has a node.
func (e Emulator) runsPods() bool {
	return slices.ContainsFunc(e.Components, func(c description.ComponentInfo) bool { return c.Name == vocabulary.Node })
}
