package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/shrink"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

// shrinkAll shrinks each confirmed group to a small scenario, one after the other, in all
// sandboxes.
func (e *explorer) shrinkAll(ctx context.Context) error {
	opts := shrink.Options{
		File: e.options.File, Text: e.options.Text, Usual: e.clean.Steps, Timeout: e.options.ShrinkTimeout,
		Out: e.options.Out, Version: e.options.Version, Program: e.options.Program, Pool: e.shared.pool, Baseline: e.clean.Baseline,
	}
	p := &progress{explorer: e, phase: "shrinking", total: len(e.report.Findings), began: time.Now()}
	for i := range e.report.Findings {
		if g := &e.report.Findings[i]; g.Confirmed {
			if err := shrink.Group(ctx, opts, g, fmt.Sprintf("%s-%02d-%s", e.report.Scenario, i+1, g.Oracle)); err != nil {
				return err
			}
		}
		p.ended(cause.Result{Case: e.report.Findings[i].Case, Findings: []checks.Finding{{}}})
	}
	return nil
}
