package scenario

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/runner"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

// restartLoop runs scenarios over several emulators, each of which starts with the data of the one before.
type restartLoop struct {
	*runLoop

	run      runner.Restarting
	shown    progress.Scenarios
	recorder *recorder.Recorder // nil before the first emulator
}

// runRestarting runs the scenarios of a group. Each begins on an emulator that then stops, and ends on the next one.
func (r *runLoop) runRestarting(ctx context.Context, group versionGroup) error {
	restart := &restartLoop{
		runLoop: r, run: runner.Restarting{Scenarios: group.scenarios, Parallel: r.parallel},
		shown: progress.NewScenarios(r.streams.Err, len(group.scenarios)),
	}
	ctx, cancel := r.limited(ctx)
	defer cancel()
	err := restart.onEach(ctx)
	r.start.Session.Emulator.After = nil
	done := restart.run.Report(ctx, cli.ReadVersions().Version)
	return errors.Join(err, restart.shown.Close(), r.conclude(restart.withRecordings(done)), restart.recorderErr())
}

// onEach starts and stops emulators until no scenario is open.
func (r *restartLoop) onEach(ctx context.Context) error {
	for more := true; more; {
		err := r.start.Run(ctx, r.streams, func(running *session.Session) error {
			r.session = running
			return r.supervised(ctx, func(ctx context.Context) (err error) {
				more, err = r.next(ctx)
				return err
			})
		})
		if err != nil {
			return err
		}
		r.start.Session.Emulator.After, r.start.Session.Emulator.Snapshot = r.session.Emulator(), "" // its contents are in the directory
	}
	return nil
}

// next ends the open scenarios on the emulator of the session, and begins others.
func (r *restartLoop) next(ctx context.Context) (more bool, err error) {
	emu := r.session.Emulator()
	if r.recorder == nil {
		if r.recorder, err = r.runLoop.recorder(emu); err != nil {
			return false, err
		}
	}
	r.recorder.ContinueOn(emu)
	options := r.engine
	options.Observer = outcome.Observers{r.shown, r.recorder}
	return r.run.Continue(ctx, engine.New(emu, options), emu.Journal()), nil
}

func (r *restartLoop) withRecordings(done report.Report) report.Report {
	for i := range done.Scenarios {
		if r.recorder != nil {
			done.Scenarios[i].Recording = r.recorder.Path(done.Scenarios[i].Name)
		}
	}
	return done
}

func (r *restartLoop) recorderErr() error {
	if r.recorder == nil {
		return nil
	}
	return r.recorder.Err()
}
