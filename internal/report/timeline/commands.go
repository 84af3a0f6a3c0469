package timeline

import (
	"cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// command is a command line to copy.
type command struct{ Label, Text string }

// commands returns the commands that repeat an entry.
func (p Presentation) commands(s report.Scenario) []command {
	var all []command
	if p.Rerun != nil {
		if text := p.Rerun(s); text != "" {
			all = append(all, command{"Run it again", text})
		}
	}
	if s.Recording != "" {
		all = append(all, command{"Replay it", cmp.Or(p.Program, "cosi-emu") + " replay " + s.Recording})
	}
	return all
}
