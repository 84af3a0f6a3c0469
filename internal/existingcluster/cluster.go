package existingcluster

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

// callTimeout is the time limit for a request to a cluster that may be far away or unreachable.
const callTimeout = 15 * time.Second

// Kinds of errors.
var (
	// ErrKubeconfig: the kubeconfig is invalid.
	ErrKubeconfig = errors.New("the kubeconfig cannot be used")
	// ErrUnreachable: the API server does not answer, or rejects this user.
	ErrUnreachable = errors.New("the cluster cannot be used")
	// ErrBusy: another COSI controller, or a sidecar of the same driver, runs in the
	// cluster.
	ErrBusy = errors.New("another one is at work in the cluster")
	// ErrNotInstalled: the cluster lacks COSI kinds or rights.
	ErrNotInstalled = errors.New("COSI is not installed in the cluster")
	// ErrNotPermitted: the user lacks a required permission.
	ErrNotPermitted = errors.New("the user of the kubeconfig is not permitted to do it")
)

// Options select a cluster.
type Options struct {
	// Kubeconfig is a file; it defaults to $KUBECONFIG, then ~/.kube/config.
	Kubeconfig string
	// Context is a context of the kubeconfig; it defaults to the current one.
	Context string
	// Owner is the name of the emulator, used as the value of a label.
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
	c.config.QPS = -1 // the API server has priority and fairness
	if err := c.connect(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKubeconfig, err)
	}
	return c, nil
}

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

// only returns a kubeconfig with a single context and all its files inlined.
func only(raw clientcmdapi.Config, context string) ([]byte, error) {
	if context == "" {
		return nil, errors.New("it has no current context; choose one with --context, or another file with --kubeconfig")
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

// ContextName returns the name of the cluster's context.
func (c *Cluster) ContextName() string { return c.context }

// Server returns the URL of the API server.
func (c *Cluster) Server() string { return c.config.Host }

// Config returns a client configuration with the rights of the user. The caller owns
// it.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig returns a kubeconfig with the same rights, for kubectl and other
// programs. It may contain credentials.
func (c *Cluster) Kubeconfig() []byte { return c.kubeconfig }

// Reach requests the API server's version, to detect connection problems early. The
// error is ErrUnreachable.
func (c *Cluster) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := c.discovery.ServerVersionWithContext(ctx); err != nil {
		return fmt.Errorf("%w: context %q, server %s: %w", ErrUnreachable, c.context, c.config.Host, err)
	}
	return nil
}
