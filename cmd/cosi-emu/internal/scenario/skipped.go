package scenario

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// checkRan rejects a selection of which no scenario ran: of all, or of those that a pattern of --scenario names.
func (s *selection) checkRan(done report.Report) error {
	ran := func(s report.Scenario) bool { return s.Outcome != outcome.Skipped }
	if len(done.Scenarios) > 0 && !slices.ContainsFunc(done.Scenarios, ran) {
		first := done.Scenarios[0]
		return cli.Usage(fmt.Errorf("no scenario ran: scenario %s is skipped: %s; meet the requirement, or select others",
			first.Name, first.Reason))
	}
	for _, pattern := range s.names {
		named := slices.DeleteFunc(slices.Clone(done.Scenarios), func(s report.Scenario) bool { return !glob.Match(pattern, s.Name) })
		if len(named) > 0 && !slices.ContainsFunc(named, ran) {
			return cli.Usage(fmt.Errorf("scenario %s is skipped: %s; meet the requirement, or leave --scenario %s out",
				named[0].Name, named[0].Reason, cli.Quote(pattern)))
		}
	}
	return nil
}
