package node

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/node/access"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

// Adapter is the node adapter of one node. It is started once.
type Adapter struct {
	manager    *cosimanager.Manager
	options    Options
	service    *service
	listening  chan struct{}
	registered atomic.Bool
}

// New creates an adapter for the cluster and the user of cfg. It opens the listeners of metrics and probes, and the
// records, but serves nothing yet.
func New(cfg *rest.Config, options Options) (*Adapter, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	if err := cosimetrics.Register(metrics()...); err != nil {
		return nil, err
	}
	s, err := newService(cfg, options)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := objectstorage.AddToScheme(scheme); err != nil {
		return nil, err
	}
	m, err := cosimanager.New(cfg, options.settings().Options(scheme, ""))
	if err != nil {
		return nil, err
	}
	a := &Adapter{manager: m, options: options, service: s, listening: make(chan struct{})}
	a.registered.Store(options.RegistrationDir == "")
	m.BeforeStart = a.checkVersion
	for _, run := range []manager.RunnableFunc{a.serve, a.service.sweepRegularly, a.register} {
		if err := m.Add(run); err != nil {
			return nil, err
		}
	}
	return a, errors.Join(m.AddHealthzCheck("csi", a.checkServing), m.AddReadyzCheck("registration", a.checkRegistered))
}

// Start runs the adapter until ctx is done, or until a part of it fails.
func (a *Adapter) Start(ctx context.Context) error { return a.manager.Start(ctx) }

// WaitReady blocks until the adapter takes calls. It returns the error of ctx, or manager.ErrStopped.
func (a *Adapter) WaitReady(ctx context.Context) error {
	if err := a.manager.WaitReady(ctx); err != nil {
		return err
	}
	select {
	case <-a.listening:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// checkVersion fails in a cluster with another version of the COSI kinds. Without an answer of the API server the
// adapter starts: the kubelet may need it to remove volumes.
func (a *Adapter) checkVersion(context.Context) error {
	object, _ := access.NewObject(a.options.API)
	err := a.manager.CheckServed(object)
	if err != nil && !errors.Is(err, cosimanager.ErrNotServed) {
		a.options.Logger.Error(err, "the version of the COSI kinds cannot be checked")
		return nil
	}
	return err
}

// serve serves CSI.
func (a *Adapter) serve(ctx context.Context) error {
	server := grpc.NewServer(grpc.UnaryInterceptor(a.intercept))
	csi.RegisterIdentityServer(server, identity{name: a.options.DriverName, ready: a.registered.Load})
	csi.RegisterNodeServer(server, a.service)
	return serveUntilDone(ctx, server, a.options.Endpoint, func() { close(a.listening) })
}

// errUnregistered is the end of an adapter that the kubelet rejects.
var errUnregistered = errors.New("the kubelet has rejected the registration")
