package sandbox

import (
	"context"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// outageTimeout limits a step, and the recovery after the last one, in a run that restarts the control plane. The
// components watch again after up to 1.6 s, and then after up to 3.2 s and 6.4 s, as client-go does.
const outageTimeout = 60 * time.Second

func hasOutage(faults []fault.Fault) bool {
	return slices.ContainsFunc(faults, func(f fault.Fault) bool { return f.Outage != "" })
}

// patientIn returns the scenario with steps that wait until the components watch again after an outage.
func patientIn(faults []fault.Fault, s *spec.Scenario) *spec.Scenario {
	if !hasOutage(faults) || time.Duration(s.Setup.Timeout) >= outageTimeout {
		return s
	}
	patient := *s
	patient.Setup.Timeout = spec.Duration(outageTimeout)
	return &patient
}

// endBackOff restarts the components if a process of the control plane has ended since the last call. Otherwise their
// reflectors would wait longer after each outage, up to 30 s.
func (sb *Sandbox) endBackOff(ctx context.Context) error {
	events := sb.Emulator.Journal().Since(sb.backOffMark)
	sb.backOffMark = sb.Emulator.Journal().Mark()
	if !slices.ContainsFunc(events, func(e journal.Event) bool {
		return e.Seam == journal.SeamProcess && (e.Component == vocabulary.APIServer || e.Component == vocabulary.Etcd)
	}) {
		return nil
	}
	return sb.restart(ctx)
}
