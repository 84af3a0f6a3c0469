// Package instance runs one instance of the COSI controller. It has everything that is independent
// of the version of the API: options, manager, cache, metrics, leader election and readiness. A
// Version adds the kinds and the reconcilers.
package instance

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// LeaseName is the name of the Lease by which several instances elect a leader. It is the same for
// all versions: a cluster serves the kinds of one version.
const LeaseName = "cosi-controller-leader"

const eventSource = "cosi-controller"

// Version has the version-specific parts of the controller.
type Version struct {
	AddToScheme func(*runtime.Scheme) error
	// Kinds are watched by the controller.
	Kinds      []client.Object
	Index      func(context.Context, client.FieldIndexer) error
	Operations cosimetrics.Operations
	// AddReconcilers adds the reconcilers.
	AddReconcilers func(*Setup) error
}

// Setup is passed to the reconcilers of a version.
type Setup struct {
	manager.Manager

	Recorder  cosievents.Recorder
	APIErrors *cosievents.APIErrors
	Strict    bool
	// Namespaces are the namespaces that the controller serves.
	Namespaces watched.Namespaces
	// TracerProvider receives a span for each reconcile; nil for none.
	TracerProvider trace.TracerProvider

	settings cosimanager.Settings
}

// ControllerOptions returns the options of one reconciler, which has its own back-off.
func (s *Setup) ControllerOptions() controller.Options {
	return controller.Options{RateLimiter: s.settings.RateLimiter()}
}

// Instance is one instance of the controller. It can be started once.
type Instance struct {
	manager *cosimanager.Manager
}

// New returns an Instance for the cluster and the user of cfg. It contacts the API server
// and opens the listeners, but starts nothing.
func New(cfg *rest.Config, opts Options, version Version) (*Instance, error) {
	settings := opts.settings()
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("options of the controller: %w", err)
	}
	m, err := newManager(cfg, settings, version)
	if err != nil {
		return nil, fmt.Errorf("set up the controller's manager: %w", err)
	}
	if err := prepareCache(context.Background(), m, version); err != nil {
		return nil, fmt.Errorf("set up the controller's cache: %w", err)
	}
	if err := addMetrics(context.Background(), m, version, settings.Namespaces()); err != nil {
		return nil, fmt.Errorf("set up the controller's metrics: %w", err)
	}
	recorder := cosievents.Distinct(m.GetEventRecorder(eventSource))
	setup := &Setup{
		Manager: m, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder), Strict: opts.Strict,
		Namespaces:     settings.Namespaces(),
		TracerProvider: opts.TracerProvider, settings: settings,
	}
	if err := version.AddReconcilers(setup); err != nil {
		return nil, err
	}
	return &Instance{manager: m}, nil
}

// Start runs the controller until ctx is done, and returns when all its workers have
// stopped, or when it fails. The loss of the Lease is a failure.
func (i *Instance) Start(ctx context.Context) error { return i.manager.Start(ctx) }

// WaitReady blocks until the controller reconciles: it is the leader, if there is an election, and
// its caches have synced. If that has become impossible, the error wraps cosimanager.ErrStopped;
// otherwise it is the error of ctx.
func (i *Instance) WaitReady(ctx context.Context) error {
	if err := i.manager.WaitReady(ctx); err != nil {
		return fmt.Errorf("the controller is not ready: %w", err)
	}
	return nil
}

func newManager(cfg *rest.Config, settings cosimanager.Settings, version Version) (*cosimanager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := version.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return cosimanager.New(cfg, settings.Options(scheme, LeaseName))
}

// prepareCache sets the watches and the indexes of the cache.
func prepareCache(ctx context.Context, m *cosimanager.Manager, version Version) error {
	if err := m.Watch(ctx, version.Kinds...); err != nil {
		return err
	}
	return version.Index(ctx, m.GetFieldIndexer())
}

func addMetrics(ctx context.Context, m *cosimanager.Manager, version Version, namespaces watched.Namespaces) error {
	if err := cosimetrics.RegisterOperations(); err != nil {
		return err
	}
	return cosimetrics.WatchOperations(ctx, m.GetCache(), m.Elected(), namespaces, version.Operations)
}
