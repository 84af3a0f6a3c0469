package controlplane

import (
	"errors"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/binaries"
)

const (
	// DefaultStartTimeout is how long each component may take to become ready.
	DefaultStartTimeout = time.Minute

	// DefaultStopGrace is how long each component may take to end before it is
	// killed. None of them loses anything by that: the API server and the
	// controller manager keep nothing, and etcd has written what it
	// acknowledged.
	DefaultStopGrace = 2 * time.Second
)

// Options configure a control plane.
type Options struct {
	// Binaries are the programs, as binaries.Find returns them.
	Binaries binaries.Set
	// Dir is the directory for everything that the control plane writes. It is
	// made if it does not exist, with mode 0700.
	Dir string
	// KeepData makes etcd's data last: Start continues with what it finds in
	// Dir, and Stop leaves Dir there with data and logs. Without it, Dir must be
	// empty or not exist, and it is removed by Stop, by a failed Start, and when
	// the process dies.
	KeepData bool
	// APIServerPort is the port of the API server on 127.0.0.1, 0 for any that
	// is free.
	APIServerPort int
	// CRDs are installed before the controller manager starts, because its
	// garbage collector looks for new kinds only every 30 seconds.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// GCPercent is how much the programs' heaps may grow before garbage is collected,
	// as of GOGC: more than 100 takes memory and saves time. 0 leaves it to GOGC.
	GCPercent int
	// Processors is how many processors each program uses at a time, as of GOMAXPROCS. As
	// many as are its share are enough for one of several control planes, and save the
	// time in which threads look for work. 0 leaves it to GOMAXPROCS.
	Processors int
	// StartTimeout and StopGrace bound the start and the end of each component.
	// The defaults are DefaultStartTimeout and DefaultStopGrace.
	StartTimeout, StopGrace time.Duration
	// Phase, if set, is called at the begin and the end of each phase of Start,
	// in order and from one goroutine.
	Phase func(Phase)
}

// Phase is a part of Start.
type Phase struct {
	// Name is the name of a component, or PhaseCRDs.
	Name string
	// Done is false when the phase begins and true when it has ended.
	Done bool
	// Err is why the phase failed, if it did.
	Err error
	// Elapsed is how long the phase took.
	Elapsed time.Duration
}

// PhaseCRDs is the name of the phase in which Options.CRDs are installed.
const PhaseCRDs = "crds"

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("start the control plane: no directory is named for its files")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, err
	}
	o.Dir = dir
	if o.StartTimeout == 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	if o.StopGrace == 0 {
		o.StopGrace = DefaultStopGrace
	}
	if o.Phase == nil {
		o.Phase = func(Phase) {}
	}
	return o, nil
}
