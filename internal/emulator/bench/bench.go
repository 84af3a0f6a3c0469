package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
)

// Names of the suites, in the order in which they are run.
const (
	// SuiteStarts times the start of an emulator.
	SuiteStarts = "starts"
	// SuiteClaims times claims, one after another.
	SuiteClaims = "claims"
	// SuiteMemory looks at the memory and the silence of a settled emulator.
	SuiteMemory = "memory"
	// SuiteControlPlanes compares the embedded control plane with the programs.
	SuiteControlPlanes = "control-planes"
	// SuiteScale puts controller and sidecar under load; see package scale.
	SuiteScale = "scale"
	// SuiteSizes measures what one claim with an access costs among more and more of them,
	// and what a million would cost.
	SuiteSizes = "sizes"
	// SuiteS3 compares the S3 store with gofakes3 alone; see package storage.
	SuiteS3 = "s3"
)

// A measurement gives some of the figures, and tells how it goes on.
type measurement struct {
	suite string
	take  func(context.Context, Options, func(string)) ([]figure.Figure, error)
}

var measurements = []measurement{
	{SuiteStarts, measureStarts},
	{SuiteClaims, measureClaims},
	{SuiteMemory, measureLoaded},
	{SuiteControlPlanes, measureControlPlanes},
	{SuiteScale, measureScale},
	{SuiteSizes, measureSizes},
	{SuiteS3, measureS3},
}

// Run takes the measurements of the chosen suites, one after another, which is a
// matter of minutes. It leaves nothing running, also when ctx is done before the
// end. The error wraps ErrOptions, or says which measurement could not be taken;
// a bar that is missed is not an error.
func Run(ctx context.Context, opts Options) (figure.Report, error) {
	if err := opts.validate(); err != nil {
		return figure.Report{}, err
	}
	report := figure.NewReport()
	for _, m := range measurements {
		if !slices.Contains(opts.Suites, m.suite) {
			continue
		}
		begin := time.Now()
		opts.Reporter.PhaseStarted(m.suite)
		figures, err := m.take(ctx, opts, func(detail string) { opts.Reporter.PhaseProgress(m.suite, detail) })
		opts.Reporter.PhaseEnded(m.suite, time.Since(begin), err)
		if err != nil {
			return report, fmt.Errorf("measure %s: %w", m.suite, err)
		}
		report.Figures = slices.Concat(report.Figures, figures)
	}
	return report, nil
}
