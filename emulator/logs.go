package emulator

import (
	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

const failureLogLines = 20

func (e *Emulator) logger(i *seam.Incarnation) logr.Logger {
	return e.journal.Logger(i.Component(), i.Number(), e.opts.LogVerbosity)
}

func (e *Emulator) logOf(component string) func() []string {
	return func() []string {
		var lines []string
		for _, event := range e.journal.Since(0) {
			if event.Component == component && event.Seam == journal.SeamLog {
				lines = append(lines, event.String())
			}
		}
		return lines[max(0, len(lines)-failureLogLines):]
	}
}
