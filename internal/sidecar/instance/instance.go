package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
)

// eventSource is the name of the sidecar in Events.
const eventSource = "cosi-sidecar"

// Generation has the generation-specific parts of a sidecar, except its reconcilers.
type Generation struct {
	AddToScheme func(*runtime.Scheme) error
	// Kinds are watched by the cache.
	Kinds   []client.Object
	Indexes []func(context.Context, client.FieldIndexer) error
	// KeepOfSecret returns the metadata that the cache keeps of a Secret, in addition to its name
	// and version.
	KeepOfSecret func(secret client.Object) (annotations map[string]string, finalizers []string)
	// LeaseLabels are the generation's labels of the Lease while this sidecar is the leader.
	LeaseLabels    func() map[string]string
	AddReconcilers func(*Instance) error
}

// Instance is the sidecar of one driver. It is started once.
type Instance struct {
	// Manager has the cache, and a client that reads from it.
	Manager *cosimanager.Manager
	Live    client.Client
	// Options have no zero values.
	Options Options

	driver   *connection.Conn
	probe    net.Listener // of the driver; nil without one
	labels   func() map[string]string
	calls    *inflight.Calls
	triggers []trigger
}

// New prepares the sidecar of a driver in the cluster of cfg. The options have been validated. The
// caller must call Start, which closes the connection at the end; if New fails, it has closed the
// connection.
func New(ctx context.Context, cfg *rest.Config, conn *connection.Conn, opts Options, generation Generation) (*Instance, error) {
	i := &Instance{
		Options: opts, driver: conn, calls: inflight.NewCalls(),
		labels: func() map[string]string { return leaseLabels(opts, generation) },
	}
	if err := i.setup(ctx, cfg, generation); err != nil {
		return nil, errors.Join(fmt.Errorf("sidecar of driver %s: %w", conn.Name(), err), conn.Close())
	}
	return i, nil
}

// setup creates the manager and adds the reconcilers, their watches, and the watch of the driver.
func (i *Instance) setup(ctx context.Context, cfg *rest.Config, generation Generation) (err error) {
	if err := cosimetrics.Register(connection.Metrics()...); err != nil {
		return fmt.Errorf("set up the metrics of the connection: %w", err)
	}
	if i.Manager, err = newManager(cfg, i.driver.Name(), i.Options, generation); err != nil { //nolint:contextcheck // it outlives its making
		return fmt.Errorf("set up the manager: %w", err)
	}
	if err := prepareCache(ctx, i.Manager, generation); err != nil {
		return fmt.Errorf("set up the cache: %w", err)
	}
	i.Live, err = client.New(i.Manager.GetConfig(), client.Options{
		HTTPClient: i.Manager.GetHTTPClient(), Scheme: i.Manager.GetScheme(), Mapper: i.Manager.GetRESTMapper(),
	})
	if err != nil {
		return fmt.Errorf("set up the client: %w", err)
	}
	if from := i.Options.SecretParametersFrom; len(from) > 0 {
		i.driver.UseSecrets(connection.Secrets{Reader: i.Live, Namespaces: from})
	}
	if err := generation.AddReconcilers(i); err != nil {
		return err
	}
	if err := i.addDriverNameConflict(); err != nil {
		return fmt.Errorf("set up the watch of the Lease: %w", err)
	}
	if err := i.Manager.AddReadyzCheck("driver", i.checkDriver); err != nil {
		return fmt.Errorf("readiness probe: %w", err)
	}
	if err := i.addDriverProbe(ctx); err != nil {
		return fmt.Errorf("serve the probe of the driver: %w", err)
	}
	return i.Manager.Add(&driverWatch{driver: i.driver, logger: i.Options.Logger, triggers: i.triggers})
}

// Start runs the sidecar until ctx is done, and returns when all its workers have stopped.
func (i *Instance) Start(ctx context.Context) error {
	defer i.closeDriverProbe()
	err := i.Manager.Start(ctx)
	if err != nil {
		err = fmt.Errorf("sidecar of driver %s: %w", i.driver.Name(), err)
	}
	return errors.Join(err, i.driver.Close())
}

// WaitReady blocks until the sidecar reconciles.
func (i *Instance) WaitReady(ctx context.Context) error {
	if err := i.Manager.WaitReady(ctx); err != nil {
		return fmt.Errorf("the sidecar of driver %s is not ready: %w", i.driver.Name(), err)
	}
	return nil
}

func (i *Instance) checkDriver(*http.Request) error {
	if !i.driver.Connected() {
		return fmt.Errorf("no connection to driver %s", i.driver.Name())
	}
	return nil
}

// addDriverNameConflict requires a namespace for the Lease with the driver's group.
func (i *Instance) addDriverNameConflict() error {
	opts := i.Options
	if opts.LeaderElectionNamespace == "" {
		return nil
	}
	group := &driverGroup{
		client: i.Live, logger: opts.Logger, driverName: i.driver.Name(),
		events: leaseEvents{client: i.Live, logger: opts.Logger, group: opts.DriverGroup, now: opts.Now},
		lease:  client.ObjectKey{Namespace: opts.LeaderElectionNamespace, Name: LeaseName(i.driver.Name())},
		group:  opts.DriverGroup, takeOver: opts.TakeOver,
		timeout: opts.DriverNameTimeout, backoff: opts.backoff(),
	}
	i.Manager.BeforeStart = group.await
	return i.Manager.Add(&driverNameConflict{
		cache: i.Manager.GetCache(), logger: opts.Logger, driver: i.driver, labels: i.labels, group: group, now: opts.Now,
	})
}

// Recorder returns the recorder of the sidecar's Events.
func (i *Instance) Recorder() cosievents.Recorder {
	return cosievents.Distinct(i.Manager.GetEventRecorder(eventSource))
}

// Line returns the line of one reconciler's calls to the driver.
func (i *Instance) Line() *inflight.Line { return i.calls.Line() }

// AddCaller adds a reconciler of a kind whose objects call the driver through a line. The pending objects are
// reconciled again when the driver has reconnected.
func (i *Instance) AddCaller(
	kind string, line *inflight.Line, reconciler reconcile.Reconciler,
	pending func(context.Context) []reconcile.Request, sources ...source.Source,
) error {
	reconnected := newTrigger()
	i.triggers = append(i.triggers, reconnected)
	limiter := line.RateLimiter(i.Options.settings().RateLimiter())
	return i.addReconciler(kind, line.Reconciler(reconciler), limiter, append(sources, reconnected.source(pending), line.Source())...)
}

// AddReconciler adds a reconciler of a kind that does not call the driver.
func (i *Instance) AddReconciler(kind string, reconciler reconcile.Reconciler, sources ...source.Source) error {
	return i.addReconciler(kind, reconciler, i.Options.settings().RateLimiter(), sources...)
}

func (i *Instance) addReconciler(
	kind string, reconciler reconcile.Reconciler, limiter workqueue.TypedRateLimiter[reconcile.Request], sources ...source.Source,
) error {
	name := strings.ToLower(kind)
	added, err := controller.New(name, i.Manager, controller.Options{
		Reconciler: cosireconcile.Traced(i.Options.TracerProvider, kind, reconciler), RateLimiter: limiter,
	})
	if err != nil {
		return fmt.Errorf("set up the reconciler %q: %w", name, err)
	}
	for _, watched := range sources {
		if err := added.Watch(watched); err != nil {
			return fmt.Errorf("set up a watch of the reconciler %q: %w", name, err)
		}
	}
	return nil
}
