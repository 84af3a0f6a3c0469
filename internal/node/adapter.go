package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

// Adapter is the node adapter of one node. It is started once.
type Adapter struct {
	manager    *cosimanager.Manager
	options    Options
	service    *service
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
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	m, err := cosimanager.New(cfg, options.settings().Options(scheme, ""))
	if err != nil {
		return nil, err
	}
	a := &Adapter{manager: m, options: options, service: s}
	a.registered.Store(options.RegistrationDir == "")
	for _, run := range []manager.RunnableFunc{a.serve, a.service.sweepRegularly, a.register} {
		if err := m.Add(run); err != nil {
			return nil, err
		}
	}
	return a, m.AddReadyzCheck("registration", a.checkRegistered)
}

// Start runs the adapter until ctx is done, or until a part of it fails.
func (a *Adapter) Start(ctx context.Context) error { return a.manager.Start(ctx) }

// WaitReady blocks until the adapter runs. Its socket may take connections a moment later.
func (a *Adapter) WaitReady(ctx context.Context) error { return a.manager.WaitReady(ctx) }

// checkRegistered is the readiness probe.
func (a *Adapter) checkRegistered(*http.Request) error {
	if !a.registered.Load() {
		return fmt.Errorf("the kubelet has not registered %s yet; it watches %s", a.options.DriverName, a.options.RegistrationDir)
	}
	return nil
}

// serve serves CSI.
func (a *Adapter) serve(ctx context.Context) error {
	server := grpc.NewServer(grpc.UnaryInterceptor(a.intercept))
	csi.RegisterIdentityServer(server, identity{name: a.options.DriverName, ready: a.registered.Load})
	csi.RegisterNodeServer(server, a.service)
	return serveUntilDone(ctx, server, a.options.Endpoint)
}

// errUnregistered is the end of an adapter that the kubelet rejects.
var errUnregistered = errors.New("the kubelet has rejected the registration")
