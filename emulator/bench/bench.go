package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/controlplane/binaries"
)

// Options say how much to measure. Every number must be positive.
type Options struct {
	// Program is the path of the cosi-emu program.
	Program string
	// Binaries say where to find the programs of the control plane.
	Binaries binaries.Options
	// Starts is how often each kind of start is timed. If it is more than once,
	// there is one before for practice.
	Starts int
	// Claims is how many claims are timed, one after another.
	Claims int
	// Crowd is how many claims with an access each there are when memory and
	// silence are measured.
	Crowd int
	// Window is for how long a settled emulator is watched for silence.
	Window time.Duration
	// Reporter is told how it goes on.
	Reporter emulator.Reporter
}

// ErrOptions is the error of options that measure nothing.
var ErrOptions = errors.New("invalid options")

func (o Options) validate() error {
	for name, number := range map[string]int{"starts": o.Starts, "claims": o.Claims, "claims in the crowd": o.Crowd} {
		if number <= 0 {
			return fmt.Errorf("%w: the number of %s must be positive", ErrOptions, name)
		}
	}
	if o.Window <= 0 {
		return fmt.Errorf("%w: the window of silence must be positive", ErrOptions)
	}
	return nil
}

// Run takes all measurements, one after another, which is a matter of minutes.
// It leaves nothing running, also when ctx is done before the end. The error
// wraps ErrOptions, or says which measurement could not be taken; a bar that is
// missed is not an error.
func Run(ctx context.Context, opts Options) (Report, error) {
	if err := opts.validate(); err != nil {
		return Report{}, err
	}
	report := newReport()
	for _, m := range []struct {
		name string
		take func(context.Context, Options, func(string)) ([]Figure, error)
	}{
		{"starts", measureStarts},
		{"claims", measureClaims},
		{"memory and silence", measureCrowd},
	} {
		begin := time.Now()
		opts.Reporter.PhaseStarted(m.name)
		figures, err := m.take(ctx, opts, func(detail string) { opts.Reporter.PhaseProgress(m.name, detail) })
		opts.Reporter.PhaseEnded(m.name, time.Since(begin), err)
		if err != nil {
			return report, fmt.Errorf("measure %s: %w", m.name, err)
		}
		report.Figures = slices.Concat(report.Figures, figures)
	}
	return report, nil
}
