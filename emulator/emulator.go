package emulator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/bucketview"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/datarecord"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/externaldriver"
	"github.com/cosi-emu/cosi-emu/internal/interference"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/logfile"
	"github.com/cosi-emu/cosi-emu/internal/pods"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	dirMode  = 0o700
	fileMode = 0o600

	// rollbackTimeout is the time limit for stopping everything after a failed start.
	rollbackTimeout = time.Minute
)

// Emulator is a running emulator. It is safe for concurrent use.
type Emulator struct {
	opts    Options
	journal *journal.Journal
	plane   ControlPlane             // nil for an existing cluster
	cluster *existingcluster.Cluster // nil without an existing cluster
	client  client.WithWatch
	store   *store.Store
	s3      *service.Instance // of the store
	started time.Time

	info Info // constant after the start, except Warnings, which mu guards
	// s3VirtualEndpoint is the URL whose subdomains are buckets.
	s3VirtualEndpoint string
	tlsConfig         *tls.Config      // of the store and the other services, or nil
	authority         *certs.Authority // of the store, or nil
	certificates      []byte           // of the authority, in PEM
	keys              *keyring.Ring
	identities        atomic.Pointer[webidentity.Verifier]

	failed     chan error
	faults     *fault.Set
	outages    outages
	tombstones *seam.Tombstones

	node     atomic.Pointer[pods.Node]             // nil without Pods
	injector atomic.Pointer[interference.Injector] // nil until there is an API server

	mu         sync.Mutex
	components []*Component
	cleanups   []cleanup              // in the order of the start
	served     map[*Component]string  // drivers of additional sidecars
	driver     *externaldriver.Driver // of the emulator's sidecar; nil if it is a fake driver
	stopping   bool                   // no component can be added any more
	// earlier is how many incarnations the components have had in the emulators before this one.
	earlier map[string]int
	// bridgeIDs are what the bridges store.
	bridgeIDs []*bridge.Directory
	// bucketView is nil until it serves, and viewed whether the API server has it. Viewing protects both.
	viewing    sync.Mutex
	bucketView *bucketview.Server
	viewed     bool
	// dialects has the dialect of each driver that is reached without a bridge, by endpoint.
	dialects map[string]dialects.Dialect

	origin   origin
	recalled datarecord.Record
	restored string     // the directory with the contents of the snapshot, without a data directory
	saving   sync.Mutex // held by SaveSnapshot

	stopOnce sync.Once
	stopErr  error
}

// Start starts an emulator and returns when it can serve BucketClaims. If a step fails, Start stops
// everything, and the error is a *StartError or wraps ErrOptions. The context limits only the
// start; the emulator runs until Stop.
func Start(ctx context.Context, opts Options) (*Emulator, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	opts, from, err := opts.openSnapshot()
	var recalled datarecord.Record
	if err == nil {
		opts, recalled, err = opts.recallData()
	}
	if err == nil {
		err = opts.validateServices()
	}
	opts = opts.withDefaults()
	if err == nil {
		err = opts.checkPredecessor()
	}
	if err != nil {
		return nil, err
	}
	e := &Emulator{
		opts: opts, origin: from, recalled: recalled, failed: make(chan error, 1), faults: fault.NewSet(),
		tombstones: seam.NewTombstones(), started: time.Now(),
	}
	if !e.opts.leaderElectionEnabled() {
		e.faults.Unsupported("loseLease", "leader election is disabled in this emulator; start it with --leader-elect, or Options.LeaderElection")
	}
	if err := e.start(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		return nil, errors.Join(err, e.Stop(stopCtx))
	}
	return e, nil
}

// start runs all steps in order. Quick checks come before slow steps.
func (e *Emulator) start(ctx context.Context) error {
	if port := e.opts.APIServerPort; port != 0 {
		if err := controlplane.CheckPort(ctx, e.opts.listen().Bind(), port); err != nil {
			return &StartError{Phase: controlplane.APIServer, Err: err}
		}
	}
	if err := e.prepareFiles(); err != nil {
		return err
	}
	if err := e.restoreSnapshot(); err != nil {
		return err
	}
	if err := e.recordData(); err != nil {
		return err
	}
	if err := e.inOrder(ctx, e.backendPhases()...); err != nil {
		return err
	}
	if err := e.recordData(); err != nil { // again, with the ports
		return err
	}
	if e.opts.StoreOnly {
		return nil
	}
	if err := e.startKubernetes(ctx); err != nil {
		return err
	}
	if err := e.startInjector(); err != nil {
		return err
	}
	e.identities.Store(webidentity.New(e.client, e.info.DriverName, e.opts.API))
	return e.together(ctx, e.cosiPhases()...)
}

func (e *Emulator) prepareFiles() error {
	own := e.opts.Implementations
	e.info.OwnComponents = own.Controller != nil || own.Sidecar != nil || own.ControllerCommand != nil || own.SidecarCommand != nil
	e.info.LeaderElection = e.opts.leaderElectionEnabled()
	e.info.CustomDelays = e.opts.RetryBaseDelay != 0 || e.opts.RetryMaxDelay != 0
	e.info.Dir, e.info.DataDir, e.info.Snapshot = e.opts.Dir, e.opts.DataDir, e.opts.Snapshot
	if e.info.StoreOnly = e.opts.StoreOnly; !e.info.StoreOnly {
		e.info.API = e.opts.API
	}
	if !e.opts.fake() {
		e.info.BucketParameters, e.info.AccessParameters = e.opts.BucketParameters, e.opts.AccessParameters
	}
	if e.opts.listen().BeyondLoopback() {
		e.info.Listen = e.opts.listen().Bind()
	}
	if e.info.Dir == "" {
		dir, err := os.MkdirTemp("", "cosi-emu-")
		if err != nil {
			return fmt.Errorf("make a temporary directory: %w", err)
		}
		e.info.Dir = dir
		e.onStop(func(context.Context) error { return os.RemoveAll(dir) })
	}
	e.info.Journal = filepath.Join(e.info.Dir, "journal.jsonl")
	file, err := logfile.OpenRotating(e.info.Journal, journalFileLimit)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	e.openJournal(file)
	e.onStop(func(context.Context) error {
		err := errors.Join(e.journal.Err(), file.Close())
		if e.opts.Dir == "" {
			return err
		}
		return errors.Join(err, logfile.Rewrite(e.info.Journal, e.redactLine), logfile.Rewrite(logfile.Earlier(e.info.Journal), e.redactLine))
	})
	return nil
}

// openJournal makes the journal and the keys of the applications, or goes on with those of the emulator before this one.
func (e *Emulator) openJournal(sink io.Writer) {
	if before := e.opts.After; before != nil {
		e.journal, e.keys, e.earlier = before.journal, before.keys, before.incarnations()
		e.journal.Continue(sink)
		e.opts.After = nil // the rest of it is garbage
		return
	}
	e.journal = journal.New(journal.Options{Sink: sink, MaxBytes: e.opts.JournalBytes})
	e.keys = keyring.New(e.journal)
}

// checkPredecessor rejects an Options.After that runs, or has the kinds of another version.
func (o Options) checkPredecessor() error {
	before := o.After
	if before == nil {
		return nil
	}
	before.mu.Lock()
	defer before.mu.Unlock()
	switch {
	case !before.stopping:
		return fmt.Errorf("%w: the emulator before this one runs; stop it first", ErrOptions)
	case !o.StoreOnly && o.API != before.info.API:
		return fmt.Errorf("%w: the emulator before this one has the kinds of %s, and this one has those of %s; "+
			"their journals are judged apart", ErrOptions, before.info.API, o.API)
	}
	return nil
}

// incarnations returns how many incarnations each component has had, in this emulator and in those before it.
func (e *Emulator) incarnations() map[string]int {
	all := maps.Clone(e.earlier)
	if all == nil {
		all = map[string]int{}
	}
	for _, c := range e.Components() {
		_, all[c.Name()] = c.State()
	}
	return all
}

// journalFileLimit is the size of the journal's file, and of the earlier one: a program that prints without end
// does not fill the disk.
const journalFileLimit = 128 << 20

// redactLine removes secret values that became known after a line of the journal was written.
func (e *Emulator) redactLine(line []byte) []byte {
	redacted, _ := e.journal.RedactJSON(line)
	return redacted
}

type cleanup struct {
	of *Component
	do func(context.Context) error
}

// onStop registers a step of Stop, which runs before the steps that were registered earlier.
func (e *Emulator) onStop(f func(context.Context) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cleanups = append(e.cleanups, cleanup{do: f})
}

// Stop stops everything in reverse order, and deletes the temporary files. If ctx is done first,
// Stop kills the remaining components. It may be called more than once, and returns the same error
// each time.
func (e *Emulator) Stop(ctx context.Context) error {
	e.stopOnce.Do(func() {
		errs := []error{e.endFaults(ctx)}
		e.mu.Lock()
		all := e.cleanups
		e.stopping = true
		e.mu.Unlock()
		for _, undo := range slices.Backward(all) {
			errs = append(errs, undo.do(ctx))
		}
		e.stopErr = errors.Join(errs...)
	})
	return e.stopErr
}

// Failed returns a channel that receives an error when a part of the emulator exits by itself. The
// other parts run until Stop.
func (e *Emulator) Failed() <-chan error { return e.failed }

// fail reports the first failure; it drops the others.
func (e *Emulator) fail(err error) {
	select {
	case e.failed <- err:
	default:
	}
}

// Journal returns the journal of this emulator.
func (e *Emulator) Journal() *journal.Journal { return e.journal }

// Config returns a client configuration with the rights of an administrator, or of the user of an
// existing cluster, without a rate limit. The caller owns it. With Options.StoreOnly, it must not be called.
func (e *Emulator) Config() *rest.Config {
	if e.cluster != nil {
		return e.cluster.Config()
	}
	cfg := e.plane.AdminConfig()
	cfg.QPS = -1 // no other client uses this API server
	return cfg
}

// KubeconfigIn returns the kubeconfig file of an emulator with that directory, running or not.
func KubeconfigIn(dir string) string { return filepath.Join(dir, "kubeconfig") }

// Client returns a client with the rights of Config, for COSI and built-in kinds. It is nil with Options.StoreOnly.
func (e *Emulator) Client() client.WithWatch { return e.client }

func (e *Emulator) warn(warning string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info.Warnings = append(e.info.Warnings, warning)
}

// Components returns the components in the order of their start.
func (e *Emulator) Components() []*Component {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.components)
}

// component returns a component by its name, or nil.
func (e *Emulator) component(name string) *Component {
	for _, c := range e.Components() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// NewScheme returns a scheme with the kinds of COSI, in all versions, and built-in kinds.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return scheme, nil
}
