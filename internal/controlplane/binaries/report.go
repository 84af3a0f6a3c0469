package binaries

// reporter shows the progress of a phase.
type reporter interface {
	PhaseProgress(phase, detail string)
}

// detailReporter also shows messages, and the completed part of a phase.
type detailReporter interface {
	PhaseNote(phase, text string)
	PhaseDone(phase string, done, total int)
}

// Report reports the update as progress of a phase.
func (u Update) Report(to reporter, phase string) {
	detailed, ok := to.(detailReporter)
	if u.Phase == Note && ok {
		detailed.PhaseNote(phase, u.String())
		return
	}
	if ok {
		detailed.PhaseDone(phase, max(u.N-1, 0)*u.Parts+u.Done, max(u.Total, 1)*u.Parts)
	}
	to.PhaseProgress(phase, u.String())
}
