package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/connrotation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// callTimeout bounds a single question to a cluster that may be far away, or
// gone.
const callTimeout = 15 * time.Second

// Errors that callers tell apart with errors.Is.
var (
	// ErrKubeconfig: the kubeconfig does not lead to a cluster.
	ErrKubeconfig = errors.New("the kubeconfig cannot be used")
	// ErrUnreachable: the API server does not answer, or not to this user.
	ErrUnreachable = errors.New("the cluster cannot be used")
	// ErrBusy: another COSI controller, or a sidecar of the same driver, is at
	// work in the cluster.
	ErrBusy = errors.New("another one is at work in the cluster")
	// ErrNotInstalled: the cluster lacks what COSI needs.
	ErrNotInstalled = errors.New("COSI is not installed in the cluster")
	// ErrNotPermitted: the user may not do what is necessary.
	ErrNotPermitted = errors.New("the user of the kubeconfig is not permitted to do it")
)

// Options say which cluster is meant, and for whom.
type Options struct {
	// Kubeconfig is a file; empty for $KUBECONFIG, then ~/.kube/config.
	Kubeconfig string
	// Context is one of its contexts; empty for the current one.
	Context string
	// Owner is the name of the emulator, a label's value.
	Owner string
}

// Cluster is an existing cluster. It is safe for concurrent use.
type Cluster struct {
	owner      string
	context    string
	kubeconfig []byte
	config     *rest.Config

	connections *connrotation.Dialer
	client      client.Client
	discovery   *discovery.DiscoveryClient
}

// Open reads the kubeconfig. It sends no requests. The error is ErrKubeconfig.
func Open(opts Options) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = opts.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: opts.Context})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKubeconfig, err)
	}
	c := &Cluster{owner: opts.Owner, context: cmp.Or(opts.Context, raw.CurrentContext)}
	if c.kubeconfig, err = only(raw, c.context); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKubeconfig, err)
	}
	if c.config, err = loader.ClientConfig(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKubeconfig, err)
	}
	c.config.QPS = -1 // the API server's priority and fairness see to it
	if err := c.connect(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKubeconfig, err)
	}
	return c, nil
}

// connect makes the clients of the user.
func (c *Cluster) connect() error {
	c.connections = connrotation.NewDialer((&net.Dialer{}).DialContext)
	c.config.Dial = c.connections.DialContext
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), v1alpha2.AddToScheme(scheme))
	if err != nil {
		return err
	}
	transport, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return err
	}
	if c.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(c.config, transport); err != nil {
		return err
	}
	c.client, err = client.New(c.config, client.Options{Scheme: scheme, HTTPClient: transport})
	return err
}

// Close closes the connections to the cluster. It may be called more than once.
func (c *Cluster) Close() { c.connections.CloseAll() }

// only returns a kubeconfig with nothing but one context, and all that it refers
// to inside.
func only(raw clientcmdapi.Config, context string) ([]byte, error) {
	if context == "" {
		return nil, errors.New("it has no current context; say with --context which one is meant, or with --kubeconfig which file")
	}
	if _, ok := raw.Contexts[context]; !ok {
		return nil, fmt.Errorf("it has no context %q", context)
	}
	raw.CurrentContext = context
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return nil, err
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return nil, err
	}
	return clientcmd.Write(raw)
}

// ContextName returns the name of the context that leads to the cluster.
func (c *Cluster) ContextName() string { return c.context }

// Server returns the URL of the API server.
func (c *Cluster) Server() string { return c.config.Host }

// Config returns the configuration of a client with the rights of the user. It is
// the caller's own.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig returns the same for kubectl and other programs. It may contain
// credentials.
func (c *Cluster) Kubeconfig() []byte { return c.kubeconfig }

// Reach asks the API server for its version, to find connection problems first. The error is ErrUnreachable.
func (c *Cluster) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := c.discovery.ServerVersionWithContext(ctx); err != nil {
		return fmt.Errorf("%w: context %q, server %s: %w", ErrUnreachable, c.context, c.config.Host, err)
	}
	return nil
}
