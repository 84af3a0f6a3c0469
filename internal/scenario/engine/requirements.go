package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// LabelBridge is the label of scenarios that cannot pass with a driver of COSI v1alpha1, or of an
// earlier dialect of v1alpha2. Its value is the reason; docs/bridge.md lists them.
const LabelBridge = "bridge"

// expresses lists the dialects that can express the requirement of a label. Only the KEP's dialect
// meets other requirements.
var expresses = map[string][]dialects.Dialect{
	"access-modes":    {dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"mode-categories": {dialects.BucketIDs},
	"several-buckets": {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"bucket-check":    {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"protocols":       {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"endpoint":        {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
}

// LabelS3 is the label of scenarios whose other steps need the effects of their s3 steps. Its value
// is the reason.
const LabelS3 = "s3"

// unmetRequirement returns the first requirement of a scenario that this emulator or
// cluster does not meet, or "".
func (e *Engine) unmetRequirement(s *spec.Scenario) string {
	if s.API() != e.emulator.Info().API {
		return fmt.Sprintf("it is for the kinds of %s: requires an emulator that serves them", s.API())
	}
	if file := s.SnapshotFile(); file != "" && !e.startedFrom(file) {
		return "it starts from a snapshot: requires an emulator of its own, with the fake driver and its own control plane"
	}
	for _, need := range []struct {
		missing bool
		reason  string
		of      func(spec.Step) bool
	}{
		{!e.options.AllowExec, "it runs a program: requires --allow-exec", verbIs("exec")},
		{e.emulator.Store() == nil && !e.ownDriver(), "it inspects the backend: requires the fake driver", verbIs("backend")},
		{e.ownDriver(), "it changes the backend: requires the fake driver", changesBackend},
		{e.ownDriver(), "it disturbs the store: requires the fake driver", disturbsStore},
		{e.ownDriver() && !e.hasDriverProcess(), "it disturbs the driver's process: requires --driver-cmd or the fake driver", disturbsDriver},
		{e.ownDriver(), "it uses S3 with a token of a ServiceAccount, which the store must trust: requires the fake driver", usesToken},
		{e.emulator.Info().DriverEndpoint == "", "it calls a driver: requires a driver", verbIs("call")},
		{e.emulator.ControlPlane() == nil, "it stops control plane processes: requires the emulator's own control plane", requiresControlPlane},
		{!e.emulator.Info().LeaderElection, "it takes Leases: requires --leader-elect", requiresLease},
	} {
		if need.missing && anyStep(s.Steps, need.of) {
			return need.reason
		}
	}
	if reason := e.unmetLabel(s); reason != "" {
		return reason
	}
	return e.unmetDrivers(s)
}

// Expresses reports whether a driver of a dialect, or "" for the dialect of the version, can meet
// the requirement of LabelBridge.
func Expresses(dialect dialects.Dialect, requirement string) bool {
	return dialect == "" || dialect == dialects.KEP || slices.Contains(expresses[requirement], dialect)
}

// unmetLabel returns the requirement in a label of a scenario that this emulator does not meet, or
// "".
func (e *Engine) unmetLabel(s *spec.Scenario) string {
	dialect := dialects.Dialect(e.emulator.Info().DriverDialect)
	switch bridge, s3 := s.Labels[LabelBridge], s.Labels[LabelS3]; {
	case bridge != "" && !Expresses(dialect, bridge):
		return fmt.Sprintf("a driver of %s cannot express its requirement: %s", dialect.Protocol(), bridge)
	case s3 != "" && e.options.NoS3:
		return "no S3 service: " + s3
	default:
		return ""
	}
}

// unmetDrivers returns the requirement of the setup's drivers that this emulator does not meet, or
// "".
func (e *Engine) unmetDrivers(s *spec.Scenario) string {
	ownFake := func(d spec.Driver) bool { return d.Socket == "" }
	switch fakes := slices.ContainsFunc(s.Setup.Drivers, ownFake); {
	case e.ownDriver() && !canStandIn(&s.Setup):
		return "it starts several drivers, or drivers with parameters or capabilities: requires the fake driver"
	case e.emulator.Store() == nil && !e.ownDriver() && fakes:
		return "it starts fake drivers: requires the emulator's store"
	}
	return ""
}

// startedFrom reports whether the emulator has started from a snapshot.
func (e *Engine) startedFrom(file string) bool {
	path, err := filepath.Abs(file)
	return err == nil && e.emulator.Info().Snapshot == path
}

// RunsAlone reports whether a scenario stops, crashes or disturbs shared components,
// so that no other can run at the same time.
func RunsAlone(s *spec.Scenario) bool { return runsAlone(s) }

// RunsAlone does the same for the emulator of the engine.
func (e *Engine) RunsAlone(s *spec.Scenario) bool { return e.runsAlone(s) }

// hasDriverProcess reports whether the emulator runs the driver, and so can crash it.
func (e *Engine) hasDriverProcess() bool {
	return e.emulator.Component(emulator.ComponentDriver) != nil
}

// changesBackend reports whether a step changes the backend in a way that a driver has no call for.
func changesBackend(s spec.Step) bool {
	b := s.Backend
	return b != nil && (!b.CreateBucket.IsZero() || !b.DeleteAccount.IsZero() || b.Put != nil || b.DeleteObject != nil || b.SetPolicy != nil)
}

func usesToken(s spec.Step) bool { return s.S3 != nil && !s.S3.ServiceAccount.IsZero() }

func disturbsStore(s spec.Step) bool {
	return s.Inject != nil && s.Inject.Seam == journal.SeamStore || disturbs(s, emulator.ComponentStore)
}

// disturbsDriver reports whether a step stops the driver, or injects a fault at its calls.
func disturbsDriver(s spec.Step) bool {
	injected := s.Inject != nil && isComponent(s.Inject.ComponentText().Source(), emulator.ComponentDriver)
	return injected || disturbs(s, emulator.ComponentDriver)
}

func disturbs(s spec.Step, component string) bool {
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, func(name spec.Text) bool { return isComponent(name.Source(), component) }) {
			return true
		}
	}
	return false
}

// isComponent reports whether a name means a component, or the same component of a driver of the
// setup.
func isComponent(name, component string) bool {
	first, _, _ := strings.Cut(name, ".")
	return first == component
}

func verbIs(verb string) func(spec.Step) bool {
	return func(s spec.Step) bool { return s.Verb == verb }
}

func requiresControlPlane(s spec.Step) bool {
	if s.Inject != nil && s.Inject.Outage != "" {
		return true
	}
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, isControlPlane) {
			return true
		}
	}
	return false
}

func requiresLease(s spec.Step) bool { return s.Inject != nil && s.Inject.LoseLease != 0 }

func isControlPlane(component spec.Text) bool {
	return slices.Contains([]string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}, component.Source())
}

// anyStep reports whether a condition holds for a step, or for one inside it.
func anyStep(steps []spec.Step, holds func(spec.Step) bool) bool {
	for _, s := range steps {
		if holds(s) {
			return true
		}
		for _, within := range s.Within() {
			if anyStep(within, holds) {
				return true
			}
		}
	}
	return false
}
