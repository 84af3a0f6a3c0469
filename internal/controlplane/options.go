package controlplane

import (
	"errors"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

const (
	// DefaultStartTimeout is the default time limit for the start of each component.
	DefaultStartTimeout = 3 * time.Minute

	// DefaultStopGrace is the default time after which Stop kills a component. A kill loses no
	// data: the API server and the controller manager store none, and etcd has written all
	// acknowledged changes.
	DefaultStopGrace = 2 * time.Second
)

// Options configure a control plane.
type Options struct {
	// Binaries are the programs, as binaries.Find returns them. An API server in this process needs
	// none.
	Binaries binaries.Set
	// NoControllers omits the controllers: nothing deletes namespaces and owned objects, or creates
	// default ServiceAccounts.
	NoControllers bool
	// Pods prepares the control plane for a node: Pods get the token of their ServiceAccount, the API
	// server authenticates to the node, and the controllers of workloads run. See NodeServing.
	Pods bool
	// BackOff and MaxBackOff replace the pauses before a failed Pod of a Job is replaced. The programs do not have them.
	BackOff, MaxBackOff time.Duration
	// Dir is the directory for all files of the control plane. It is created if missing,
	// with mode 0700.
	Dir string
	// KeepData keeps etcd's data: Start continues with the data in Dir, and Stop keeps data and
	// logs. Otherwise, Dir must be empty or missing, and Stop, a failed Start, and the end of the
	// process delete it.
	KeepData bool
	// Data is a directory with objects that SaveData has written, which Start takes over. It
	// excludes KeepData. The control plane must be of the same kind.
	Data string
	// Listen is the address of the API server; the zero value means loopback.
	Listen Listen
	// APIServerPort is the port of the API server; 0 means a free one.
	APIServerPort int
	// CRDs are installed before the controller manager starts, because its garbage
	// collector detects new kinds only every 30 seconds.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// GCPercent sets GOGC of the programs, if any: more than 100 uses more memory and less time. 0
	// keeps GOGC.
	GCPercent int
	// Processors sets GOMAXPROCS of the programs, if any. With several control planes on a machine,
	// its share of the processors is enough, and saves scheduling time. 0 keeps GOMAXPROCS.
	Processors int
	// StartTimeout and StopGrace are the time limits for starting and stopping each
	// component. They default to DefaultStartTimeout and DefaultStopGrace.
	StartTimeout, StopGrace time.Duration
	// Phase, if set, is called at the start and the end of each phase of Start, in order and from
	// one goroutine.
	Phase func(Phase)
}

// Phase is a phase of Start.
type Phase struct {
	Name    string
	Done    bool
	Err     error
	Elapsed time.Duration
}

// PhaseCRDs is the name of the phase in which Options.CRDs are installed.
const PhaseCRDs = "crds"

// WithDefaults returns the options with the defaults of missing values. It fails if a required
// option is missing.
func (o Options) WithDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("start the control plane: no directory is named for its files")
	}
	if o.Data != "" && o.KeepData {
		return o, errors.New("start the control plane: saved data and data that is kept exclude each other")
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
