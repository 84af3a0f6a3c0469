package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
)

// shrinkAll shrinks each confirmed group to a small scenario, one after the other, in all
// sandboxes.
func (e *explorer) shrinkAll(ctx context.Context) error {
	opts := shrinkOptions{
		File: e.options.File, Text: e.options.Text, Usual: e.clean.steps, Timeout: e.options.ShrinkTimeout,
		Out: e.options.Out, Program: e.options.Program, Pool: e.shared.pool,
	}
	p := &progress{explorer: e, phase: "shrinking", total: len(e.report.Findings), began: time.Now()}
	for i := range e.report.Findings {
		if g := &e.report.Findings[i]; g.Confirmed {
			if err := shrinkGroup(ctx, opts, g, fmt.Sprintf("%s-%02d-%s", e.report.Scenario, i+1, g.Oracle)); err != nil {
				return err
			}
		}
		p.ended(caseResult{Case: e.report.Findings[i].Case, Findings: []oracle.Finding{{}}})
	}
	return nil
}
