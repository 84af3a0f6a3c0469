package explore

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// ErrOptions is the error of options that cannot be.
var ErrOptions = errors.New("invalid exploration options")

// ErrScenario is the error of a file that is no scenario.
var ErrScenario = errors.New("invalid scenario")

// sandboxesFor is how many runs go on at a time by default: more than there are processors,
// because while one waits for a deadline or for a component that starts again, others use
// them; and not so many that a laptop has no memory left.
func sandboxesFor(processors int) int { return min(max(leastSandboxes, processors*3/2), mostSandboxes) } //nolint:mnd // and a half

const (
	leastSandboxes = 3
	mostSandboxes  = 8
)

// DefaultCallTimeout is how long a call of the driver may take: shorter than in life, so
// that a run with a call that hangs is soon over.
const DefaultCallTimeout = 500 * time.Millisecond

// DefaultShrinkTimeout is how long one finding is made smaller.
const DefaultShrinkTimeout = 2 * time.Minute

// Options say what is explored, and how far.
type Options struct {
	// File is the name of the scenario's file, which files that it uses are relative
	// to, and Text its content, with exactly one scenario.
	File string
	Text []byte

	// Emulator is what every sandbox is: above all whose controller, sidecar and
	// driver. Its control plane and the delays between retries are the explorer's; an
	// RPCTimeout of 0 means DefaultCallTimeout. All sandboxes share a driver behind a
	// socket, whose process no fault ends, and whose backend is not seen.
	Emulator emulator.Options
	// Sandboxes is how many runs go on at a time; 0 means three for two processors, at least
	// three and at most eight.
	Sandboxes int
	// Kinds are what is tried; all if there are none.
	Kinds []Kind
	// At is a pattern, in which * is any number of any characters, of the points that are
	// tried, as they are printed; all if it is empty.
	At string
	// Pairs tries two faults in one run, too, but for those that come upon a state
	// that was seen already.
	Pairs bool
	// Random is how many runs with two or three faults drawn at random follow, from
	// Seed: the same seed draws the same faults.
	Random int
	Seed   uint64
	// Prune is what has to be the same for a single fault not to be tried again; empty
	// means PruneWorld, with which every fault of the first scenario is tried.
	Prune Prune
	// Sample is how many of the single faults are tried, drawn from Seed; 0 means all.
	Sample int
	// Budget is how long runs are begun; 0 means until all are done.
	Budget time.Duration
	// MeasureSeams measures what the seams cost when there is no fault.
	MeasureSeams bool
	// Shrink has the findings shrunk to a small scenario each.
	Shrink bool
	// ShrinkTimeout is how long one finding is made smaller at most; 0 means
	// DefaultShrinkTimeout.
	ShrinkTimeout time.Duration
	// Out is a directory, which is made if there is none, for what is found: of each
	// finding the shrunk scenario, the recording of a run of it and its timeline.
	// Nothing is written, and no shrunk scenario is run, if it is empty.
	Out string
	// Program is the version of the program, for recordings.
	Program string
	// State is a file that remembers which runs are done, so that an exploration that
	// was cut short goes on where it was; empty means that nothing is remembered.
	State string
	// Progress is told how it goes on, from one goroutine at a time; nil means nobody
	// is.
	Progress func(Progress)

	shared *sharedState // with explorations of other scenarios; nil means none
}

// deadline is when no more runs are begun; zero if there is none.
type deadline time.Time

func (o Options) ends() deadline {
	if o.Budget == 0 {
		return deadline{}
	}
	return deadline(time.Now().Add(o.Budget))
}

func (d deadline) passed() bool { return !time.Time(d).IsZero() && time.Now().After(time.Time(d)) }

// Progress is how far an exploration is.
type Progress struct {
	// Phase is what is being done.
	Phase string
	// Done and Total count runs.
	Done, Total int
	// Findings counts the runs in which something was wrong.
	Findings int
	// Last is the case that has just ended, and Took how long its runs took.
	Last string
	Took time.Duration
	// Rate is runs per second, Left how long the rest will take at that rate.
	Rate float64
	Left time.Duration
}

func (o Options) withDefaults() (Options, error) {
	if o.Sandboxes == 0 {
		o.Sandboxes = sandboxesFor(runtime.GOMAXPROCS(0))
	}
	o.Emulator.RPCTimeout = cmp.Or(o.Emulator.RPCTimeout, DefaultCallTimeout)
	o.ShrinkTimeout = cmp.Or(o.ShrinkTimeout, DefaultShrinkTimeout)
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Sandboxes < 0 || o.Random < 0 || o.Sample < 0 || o.Budget < 0 || o.ShrinkTimeout < 0 {
		return o, fmt.Errorf("%w: sandboxes, sample, random, budget and shrink timeout must not be negative", ErrOptions)
	}
	o.Prune = cmp.Or(o.Prune, PruneState)
	if !slices.Contains(Prunes(), o.Prune) {
		return o, fmt.Errorf("%w: prune is %q and must be one of %v", ErrOptions, o.Prune, Prunes())
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(Kinds(), kind) {
			return o, fmt.Errorf("%w: unknown effect %q; must be one of %v", ErrOptions, kind, Kinds())
		}
	}
	return o, nil
}
