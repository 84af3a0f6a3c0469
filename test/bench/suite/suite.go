package suite

import (
	"context"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// Names of the suites, in the order in which they are run.
const (
	// Starts times the start of an emulator.
	Starts = "starts"
	// Claims times claims, one after another.
	Claims = "claims"
	// Memory looks at the memory and the silence of a settled emulator.
	Memory = "memory"
	// ControlPlanes compares the embedded control plane with the programs.
	ControlPlanes = "control-planes"
	// Scale puts controller and sidecar under load; see package scale.
	Scale = "scale"
	// Sizes measures the cost of one claim with an access among more and more of them, and estimates
	// the cost of a million.
	Sizes = "sizes"
	// S3 compares the S3 store with gofakes3 alone; see package storage.
	S3 = "s3"
)

// A measurement gives some of the figures, and reports its progress.
type measurement struct {
	suite string
	take  func(context.Context, Options, func(string)) ([]figure.Figure, error)
}

var measurements = []measurement{
	{Starts, measureStarts},
	{Claims, measureClaims},
	{Memory, measureLoaded},
	{ControlPlanes, measureControlPlanes},
	{Scale, measureScale},
	{Sizes, measureSizes},
	{S3, measureS3},
}

// Run takes the measurements of the chosen suites, one after another, which takes minutes. It leaves
// nothing running, also when ctx is done before the end. The error wraps ErrOptions, or names the
// measurement that failed; a missed bar is not an error.
func Run(ctx context.Context, opts Options) (figure.Report, error) {
	if err := opts.validate(); err != nil {
		return figure.Report{}, err
	}
	report := figure.NewReport()
	for _, m := range measurements {
		if !slices.Contains(opts.Suites, m.suite) {
			continue
		}
		figures, err := m.take(ctx, opts, func(detail string) { opts.Progress(m.suite + ": " + detail) })
		if err != nil {
			return report, fmt.Errorf("measure %s: %w", m.suite, err)
		}
		report.Figures = slices.Concat(report.Figures, figures)
	}
	return report, nil
}
