package apiserver

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	discoveryendpoint "k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/establish"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/registry"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/release"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/token"
)

// Options configure a server.
type Options struct {
	// Storage makes the storage of each resource. A server that starts with the storage of
	// another continues with its objects.
	Storage generic.StorageDecorator
	// Address is the host and port that discovery names.
	Address string
	// Issuer issues the tokens of ServiceAccounts.
	Issuer *token.Issuer
	// ClientAuthorities have issued the certificates of clients.
	ClientAuthorities *x509.CertPool
	// Pods gives Pods the token of their ServiceAccount.
	Pods bool
	// Nodes connects to the nodes of Pods.
	Nodes http.RoundTripper
}

// Server is an API server without a listener: callers serve its Handler, or send it
// requests by a Transport.
type Server struct {
	registry   *registry.Registry
	extensions *apiextensionsserver.CustomResourceDefinitions
	// loopback serves the requests of the server's own controllers.
	loopback Local

	stop     context.CancelFunc
	stopOnce sync.Once
}

// New returns a server that does not run yet.
func New(opts Options) (*Server, error) {
	reg, err := registry.New(restOptions{opts.Storage, builtinCodec(), false}, opts.Pods)
	if err != nil {
		return nil, err
	}
	s := &Server{registry: reg}
	authn := newAuthenticator(token.NewAuthenticator(opts.Issuer, reg), opts.Issuer.Audiences(), opts.ClientAuthorities)
	config := s.config(opts)
	config.GenericConfig.Authentication.Authenticator = authn
	s.extensions, err = config.Complete().New(genericapiserver.NewEmptyDelegateWithCustomHandler(http.HandlerFunc(notFound)))
	if err != nil {
		return nil, fmt.Errorf("make the server of custom resources: %w", err)
	}
	if err := s.install(registry.Backends{Authenticator: authn, Issuer: opts.Issuer, Nodes: opts.Nodes}); err != nil {
		s.Stop()
		return nil, err
	}
	if err := serveIssuer(s.generic().Handler.NonGoRestfulMux, opts.Issuer); err != nil {
		s.Stop()
		return nil, err
	}
	serveOpenAPI(s.extensions, &config.GenericConfig.Config)
	s.generic().PrepareRun()
	return s, nil
}

func (s *Server) generic() *genericapiserver.GenericAPIServer { return s.extensions.GenericAPIServer }

func (s *Server) config(opts Options) *apiextensionsserver.Config {
	generic := genericapiserver.NewRecommendedConfig(scheme.Codecs())
	generic.ExternalAddress = opts.Address
	generic.EffectiveVersion = release.Effective()
	generic.RESTOptionsGetter = restOptions{opts.Storage, definitionCodec(), true}
	generic.Authentication.APIAudiences = opts.Issuer.Audiences()
	generic.Authorization.Authorizer = s.registry.Authorizer()
	generic.RuleResolver = s.registry.Authorizer()
	generic.AdmissionControl = s.admission(opts)
	generic.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return chain(withRefund(handler, s.registry), c)
	}
	generic.LongRunningFunc = longRunning
	generic.LoopbackClientConfig = loopbackConfig(opts.Address, &s.loopback)
	generic.AggregatedDiscoveryGroupManager = discoveryendpoint.NewResourceManager("apis")
	generic.EnableProfiling, generic.EnableMetrics = false, false
	// The other default check has a goroutine that never ends.
	checks := []healthz.HealthChecker{healthz.PingHealthz}
	generic.HealthzChecks, generic.LivezChecks, generic.ReadyzChecks = slices.Clone(checks), slices.Clone(checks), slices.Clone(checks)
	generic.StorageObjectCountTracker = nil
	// These hooks serve filters that the chain does not have, or repeat Start.
	generic.DisabledPostStartHooks.Insert("max-in-flight-filter", "crd-informer-synced", "start-apiextensions-informers")
	generic.MergedResourceConfig = apiextensionsserver.DefaultAPIResourceConfigSource()
	setOpenAPI(&generic.Config)
	return &apiextensionsserver.Config{
		GenericConfig: generic,
		ExtraConfig: apiextensionsserver.ExtraConfig{
			CRDRESTOptionsGetter: restOptions{opts.Storage, customCodec(), true},
			MasterCount:          1,
			ServiceResolver:      webhook.NewDefaultServiceResolver(),
		},
	}
}

// admission returns the plugins in the order of a kube-apiserver.
func (s *Server) admission(opts Options) admission.Interface {
	plugins := []admission.Interface{&namespaceLifecycle{s.registry}}
	if opts.Pods {
		plugins = append(plugins, &serviceAccount{s.registry})
	}
	return admission.NewChainHandler(append(plugins, &quotaCounts{s.registry})...)
}

// install adds the built-in kinds to the server of custom resources. The two are one
// server, so that they share filters, discovery and OpenAPI.
func (s *Server) install(backends registry.Backends) error {
	core, others := s.registry.Groups(backends)
	if err := s.generic().InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, core); err != nil {
		return fmt.Errorf("install the core group: %w", err)
	}
	if err := s.generic().InstallAPIGroups(others...); err != nil {
		return fmt.Errorf("install the built-in groups: %w", err)
	}
	if err := rejectUnserved(s.generic(), s.registry.IsServed); err != nil {
		return err
	}
	groups := discoveryendpoint.WrapAggregatedDiscoveryToHandler(
		s.generic().DiscoveryGroupManager, s.generic().AggregatedDiscoveryGroupManager, nil)
	s.generic().Handler.GoRestfulContainer.Add(groups.GenerateWebService("/apis", metav1.APIGroupList{}))
	return nil
}

// loopbackConfig returns the client configuration of the server's own controllers.
func loopbackConfig(address string, loopback *Local) *rest.Config {
	return &rest.Config{
		Host: "https://" + address,
		Transport: loopback.Transport(&user.DefaultInfo{
			Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated},
		}),
		QPS: -1,
	}
}

// Handler serves the API.
func (s *Server) Handler() http.Handler { return s.generic().Handler }

// startInterval is how often Start asks whether the server is ready.
const startInterval = 2 * time.Millisecond

// Start starts the server, and returns when it serves the custom resources whose
// definitions are in its storage.
func (s *Server) Start(ctx context.Context) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.loopback.Serve(running, s.Handler())
	definitions := s.extensions.Informers.Apiextensions().V1().CustomResourceDefinitions()
	if err := definitions.Informer().SetTransform(establish.Backdate); err != nil {
		return err
	}
	groups, err := serveGroups(definitions, s.generic().DiscoveryGroupManager)
	if err != nil {
		return err
	}
	// The informer comes before those that wait for it: they ask every 100 ms only.
	s.extensions.Informers.Start(running.Done())
	select {
	case <-groups.Done():
	case <-ctx.Done():
		return fmt.Errorf("wait for the custom resources: %w", context.Cause(ctx))
	}
	s.generic().RunPostStartHooks(running)
	if err := bootstrap(ctx, s.generic().LoopbackClientConfig); err != nil {
		return err
	}
	return s.waitReady(ctx)
}

// waitReady waits until the server has started all its parts. A part that is stopped
// before would end the process.
func (s *Server) waitReady(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, startInterval, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(s.generic().HealthzChecks(), func(c healthz.HealthChecker) bool { return c.Check(nil) != nil }), nil
	})
}

// Stop stops the server. Requests in flight fail.
func (s *Server) Stop() {
	s.stopOnce.Do(func() {
		if s.stop != nil {
			s.stop()
			s.extensions.Informers.Shutdown()
		}
		if s.extensions != nil {
			s.generic().Destroy()
		}
	})
}
