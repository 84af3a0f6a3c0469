// Package selection chooses between the implementations of a control plane: the real
// programs, or an API server in this process.
package selection

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

// Choice is a control plane that can be started.
type Choice struct {
	Kind     kind.Kind
	Binaries binaries.Set
	// Notice is one line for the user, unless the user chose the kind.
	Notice string
}

// Choose returns a control plane of a kind. For Envtest it may download or build the programs; for
// Auto it downloads them, but does not build them.
func Choose(ctx context.Context, wanted kind.Kind, opts binaries.Options) (Choice, error) {
	switch wanted {
	case kind.Embedded:
		if opts.Dir != "" {
			return Choice{}, fmt.Errorf("directory %s has programs of a control plane, and control plane %q uses none; "+
				"choose control plane %q, or name no directory", opts.Dir, kind.Embedded, kind.Envtest)
		}
		return Choice{Kind: kind.Embedded}, nil
	case kind.Envtest:
		if err := envtest.Supported(); err != nil {
			return Choice{}, err
		}
		set, err := binaries.Find(ctx, opts)
		return Choice{Kind: kind.Envtest, Binaries: set, Notice: set.Missing}, err
	default:
		return chooseAuto(ctx, opts)
	}
}

func chooseAuto(ctx context.Context, opts binaries.Options) (Choice, error) {
	if err := envtest.Supported(); err != nil && opts.Dir == "" {
		return Choice{Kind: kind.Embedded, Notice: fmt.Sprintf("an API server in this process is used: %v", err)}, nil
	} else if err != nil {
		return Choice{}, err
	}
	opts.NoBuild = true
	set, err := binaries.Find(ctx, opts)
	if err == nil {
		return Choice{Kind: kind.Envtest, Binaries: set, Notice: set.Missing}, nil
	}
	unavailable, ok := errors.AsType[*binaries.UnavailableError](err)
	if !ok {
		return Choice{}, err
	}
	return Choice{Kind: kind.Embedded, Notice: fmt.Sprintf(
		"kube-apiserver and etcd are not on this machine (%v): an API server in this process takes their place; "+
			"to get them, run `cosi-emu setup`", unavailable.Err)}, nil
}

// Local returns Envtest with the programs on this machine.
func Local(ctx context.Context) (Choice, error) {
	if err := envtest.Supported(); err != nil {
		return Choice{}, err
	}
	set, err := binaries.Find(ctx, binaries.Options{Local: true})
	if unavailable, ok := errors.AsType[*binaries.UnavailableError](err); ok {
		return Choice{}, fmt.Errorf("kube-apiserver and etcd are not on this machine (%w); `cosi-emu setup` gets them", unavailable.Err)
	}
	return Choice{Kind: kind.Envtest, Binaries: set, Notice: set.Missing}, err
}

// Start starts the control plane.
func (c Choice) Start(ctx context.Context, opts controlplane.Options) (controlplane.ControlPlane, error) {
	if c.Kind == kind.Embedded {
		plane, err := embedded.Start(ctx, opts)
		if err != nil {
			return nil, err
		}
		return plane, nil
	}
	if err := envtest.Supported(); err != nil {
		return nil, err
	}
	opts.Binaries = c.Binaries
	plane, err := envtest.Start(ctx, opts)
	if err != nil {
		return nil, err
	}
	return plane, nil
}
