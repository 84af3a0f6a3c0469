package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// The time of a start may be barStart times the start of a bare envtest if it runs the same
// programs, and barStartEmbedded if it does not.
const (
	barStart         = 1.3
	barStartEmbedded = 0.5
)

// stopTimeout bounds the end of an emulator.
const stopTimeout = time.Minute

// A starter starts something and returns how to stop it. Only the start is
// timed.
type starter func(context.Context) (stop func(context.Context) error, err error)

// measureStarts times the start of an emulator in this process and of the whole program, and, as the
// baseline, the start of a bare envtest with the same etcd and kube-apiserver.
func measureStarts(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	set, err := binaries.Find(ctx, opts.Binaries)
	if err != nil {
		return nil, err
	}
	var parts phases
	starters := []starter{bareStarter(set), emulatorStarter(opts, &parts), programStarter(opts)}
	times := make([][]time.Duration, len(starters))
	for round := opts.firstStart(); round <= opts.Starts; round++ {
		progress(turn("round", round, opts.Starts))
		for i, start := range starters {
			elapsed, err := timeStart(ctx, start)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], elapsed)
			}
		}
	}
	baseline, bar := figure.Times(times[0]), barStart
	if opts.ControlPlane == emulator.ControlPlaneEmbedded {
		bar = barStartEmbedded
	}
	return []figure.Figure{
		figure.Ratio("up to ready, in a Go program", bar, figure.Times(times[1]), baseline,
			"the baseline is envtest's Environment.Start", parts.String()),
		figure.Ratio("up to ready, `cosi-emu up -d`", bar, figure.Times(times[2]), baseline),
	}, nil
}

// firstStart is the number of the first start. Start 0 is for practice: it reads the programs
// from the disk. A single start is a trial, without practice.
func (o Options) firstStart() int {
	if o.Starts == 1 {
		return 1
	}
	return 0
}

// turn names one of several turns by its number. The turns before the first are for practice.
func turn(what string, number, count int) string {
	if number < 1 {
		return what + " for practice"
	}
	return fmt.Sprintf("%s %d of %d", what, number, count)
}

func timeStart(ctx context.Context, start starter) (time.Duration, error) {
	begin := time.Now()
	stop, err := start(ctx)
	elapsed := time.Since(begin)
	if err != nil {
		return 0, err
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return elapsed, errors.Join(stop(stopCtx), ctx.Err())
}

// bareStarter starts a bare envtest.
func bareStarter(set binaries.Set) starter {
	return func(context.Context) (func(context.Context) error, error) {
		env := &envtest.Environment{}
		env.ControlPlane.GetAPIServer().Path = set.APIServer
		env.ControlPlane.Etcd = &envtest.Etcd{Path: set.Etcd}
		stop := func(context.Context) error { return env.Stop() }
		if _, err := env.Start(); err != nil {
			return nil, errors.Join(fmt.Errorf("start a bare envtest: %w", err), env.Stop())
		}
		return stop, nil
	}
}

func emulatorStarter(opts Options, reporter emulator.Reporter) starter {
	return func(ctx context.Context) (func(context.Context) error, error) {
		emu, err := emulator.Start(ctx, emulator.Options{
			ControlPlaneKind: opts.ControlPlane, ControlPlaneDir: opts.Binaries.Dir, Reporter: reporter,
		})
		if err != nil {
			return nil, err
		}
		return emu.Stop, nil
	}
}

func programStarter(opts Options) starter {
	return func(ctx context.Context) (func(context.Context) error, error) {
		p, err := startProgram(ctx, opts)
		if err != nil {
			return nil, err
		}
		return p.stop, nil
	}
}
