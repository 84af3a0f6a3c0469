package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/peers"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
	"github.com/cosi-emu/cosi-emu/test/bench/storage"
)

// Options select the measurements, and their size. Every number must be positive.
type Options struct {
	// Suites are the names of the suites to run, at least one.
	Suites []string
	// Program is the path of the cosi-emu program.
	Program string
	// ControlPlane is the kind of the control plane that is measured. The baseline of starts is
	// always the programs. The suite control-planes measures both kinds.
	ControlPlane emulator.ControlPlaneKind
	// Binaries locate the programs of the control plane.
	Binaries binaries.Options
	// Starts is how often each kind of start is timed. If it is more than once,
	// there is one before for practice.
	Starts int
	// Claims is how many claims are timed, one after another.
	Claims int
	// LoadedClaims is how many claims with an access each there are when memory and
	// silence are measured.
	LoadedClaims int
	// Lifecycles is how many base lifecycles, and how many runs of an exploration of it, are
	// measured in a round on each control plane.
	Lifecycles int
	// Scenario is a pattern of the names of the scenarios that ship with the program. The
	// time of all of them on both control planes is compared. Empty means all.
	Scenario string
	// Window is for how long a settled emulator is watched for silence.
	Window time.Duration
	// Scale is the load of the suite scale.
	Scale scale.Load
	// S3 is the load of the suite s3.
	S3 storage.Load
	// Peers has the suite s3 compare the store with other S3 servers instead.
	Peers bool
	// PeersDir has the programs of the other servers. Empty: they are built.
	PeersDir string
	// PeerDuration is how long each server is under load.
	PeerDuration time.Duration
	// Progress is called with the current step.
	Progress func(step string)
}

// ErrOptions is the error of options that measure nothing.
var ErrOptions = errors.New("invalid options")

// Names returns the names of all suites.
func Names() []string {
	names := make([]string, len(measurements))
	for i, m := range measurements {
		names[i] = m.suite
	}
	return names
}

func (o Options) validate() error {
	if len(o.Suites) == 0 {
		return fmt.Errorf("%w: no suite", ErrOptions)
	}
	for _, suite := range o.Suites {
		if !slices.Contains(Names(), suite) {
			return fmt.Errorf("%w: unknown suite %q; the suites are %s", ErrOptions, suite, strings.Join(Names(), ", "))
		}
	}
	for name, number := range map[string]int{
		"starts": o.Starts, "claims": o.Claims, "lifecycles": o.Lifecycles, "claims with accesses": o.LoadedClaims,
		"pairs": o.Scale.Pairs, "claims in place": o.Scale.Many, "rounds": o.Scale.Rounds,
		"claims with accesses at most": o.Scale.Most,
		"objects":                      o.S3.Objects, "requests": o.S3.Requests, "rounds of S3": o.S3.Rounds,
	} {
		if number <= 0 {
			return fmt.Errorf("%w: the number of %s must be positive", ErrOptions, name)
		}
	}
	if o.Window <= 0 {
		return fmt.Errorf("%w: the window of silence must be positive", ErrOptions)
	}
	return o.validatePeers()
}

func (o Options) validatePeers() error {
	switch {
	case !o.Peers:
		return nil
	case !slices.Contains(o.Suites, S3):
		return fmt.Errorf("%w: --peers requires the suite %s", ErrOptions, S3)
	case o.PeerDuration <= 0:
		return fmt.Errorf("%w: the duration of the load on each server must be positive", ErrOptions)
	}
	return nil
}

// on returns options for a kind of control plane.
func (o Options) on(kind emulator.ControlPlaneKind) Options {
	o.ControlPlane = kind
	if kind == emulator.ControlPlaneEmbedded {
		o.Binaries = binaries.Options{}
	}
	return o
}

// controlPlaneFlags are the flags of the program for the control plane.
func (o Options) controlPlaneFlags() []string {
	var flags []string
	if o.ControlPlane != "" {
		flags = append(flags, "--control-plane="+string(o.ControlPlane))
	}
	if o.Binaries.Dir != "" {
		flags = append(flags, "--control-plane-dir="+o.Binaries.Dir)
	}
	return flags
}

func measureScale(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	return scale.Measure(ctx, scale.Options{ControlPlane: opts.ControlPlane, Binaries: opts.Binaries, Load: opts.Scale}, progress)
}

func measureSizes(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	return scale.MeasureSizes(ctx, scale.Options{ControlPlane: opts.ControlPlane, Binaries: opts.Binaries, Load: opts.Scale}, progress)
}

func measureS3(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	if opts.Peers {
		return peers.Measure(ctx, peers.Options{
			Program: opts.Program, Peers: peers.Known(), Dir: opts.PeersDir, Duration: opts.PeerDuration,
		}, progress)
	}
	return storage.Measure(ctx, opts.S3, progress)
}
