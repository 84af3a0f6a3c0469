package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
)

// confirmOnEnvtest reruns the findings of an exploration on the embedded control plane with
// kube-apiserver and etcd, if they are installed. Their behaviour is decisive.
func (e *explorer) confirmOnEnvtest(ctx context.Context) (err error) {
	confirmed := e.confirmed()
	for _, g := range confirmed {
		g.ConfirmedOn = []kind.Kind{e.options.plane.Kind}
	}
	if len(confirmed) == 0 || e.options.plane.Kind != kind.Embedded {
		return nil
	}
	second, err := e.onEnvtest(ctx)
	if err != nil {
		return doubt(ctx, confirmed, err)
	}
	defer func() { err = errors.Join(err, second.shared.pool.Stop(context.WithoutCancel(ctx))) }()
	if err = second.runClean(ctx); err == nil && second.unclean && !e.unclean {
		err = errors.New("the run without faults has findings there")
	}
	if err != nil {
		return doubt(ctx, confirmed, err)
	}
	for _, g := range confirmed {
		if err = second.confirmGroup(ctx, g); err != nil {
			return doubt(ctx, confirmed, err)
		}
	}
	return nil
}

func (e *explorer) confirmed() []*cause.Group {
	var all []*cause.Group
	for i := range e.report.Findings {
		if g := &e.report.Findings[i]; g.Confirmed {
			all = append(all, g)
		}
	}
	return all
}

// doubt notes in findings why envtest has not confirmed them. This is no error of the exploration.
func doubt(ctx context.Context, groups []*cause.Group, err error) error {
	for _, g := range groups {
		if !slices.Contains(g.ConfirmedOn, kind.Envtest) && g.Doubt == "" {
			g.Doubt = err.Error()
		}
	}
	return context.Cause(ctx)
}

// onEnvtest returns an exploration of the same scenario with a sandbox on envtest.
func (e *explorer) onEnvtest(ctx context.Context) (*explorer, error) {
	opts := e.options
	if opts.Emulator.Driver != "" && opts.Emulator.Implementations.DriverCommand != nil {
		return nil, fmt.Errorf("a second driver cannot listen at %s", opts.Emulator.Driver)
	}
	plane, err := selection.Local(ctx)
	if err != nil {
		return nil, err
	}
	if opts.Interference && plane.Binaries.ControllerManager == "" {
		return nil, errors.New(plane.Notice)
	}
	opts.plane, opts.Sandboxes = &plane, 1
	return &explorer{
		options: opts, scenario: e.scenario, seen: map[string]bool{},
		shared: newSharedState(opts),
	}, nil
}

// confirmGroup runs the case of a group until the finding appears.
func (e *explorer) confirmGroup(ctx context.Context, g *cause.Group) error {
	return e.shared.pool.Lend(ctx, func(w *sandbox.Sandbox) (_ *sandbox.Sandbox, err error) {
		for range attempts {
			again := cause.Result{Case: g.Case}
			if w, err = e.rerunCase(ctx, w, &again); err != nil {
				return w, err
			}
			for _, f := range again.Findings {
				if f.Oracle == g.Oracle {
					g.ConfirmedOn = append(g.ConfirmedOn, kind.Envtest)
					return w, nil
				}
			}
		}
		g.Doubt = fmt.Sprintf("%d runs there do not have it", attempts)
		return w, nil
	})
}
