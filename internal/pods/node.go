package pods

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	vknode "github.com/virtual-kubelet/virtual-kubelet/node"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/pods/worker"
)

// Name is the name of the node.
const Name = "cosi-emu"

const (
	// syncWorkers is how many Pods start or end at the same time.
	syncWorkers = 10
	// leaseSeconds is the duration of the node's Lease, as a kubelet's.
	leaseSeconds = 40
)

// Options configure a node.
type Options struct {
	// Config has the rights of a node.
	Config *rest.Config
	// Server is the address of the API server for containers.
	Server worker.Server
	// Serving is the configuration of the node's own server, which requires certificates of clients: the API server
	// asks it for logs, exec, attach and port-forward.
	Serving *tls.Config
	Images  image.Images
	// Drivers are the CSI drivers on this node.
	Drivers csi.Drivers
	// Dir has the files of the Pods while they run.
	Dir string
	// Environment are variables of all containers, as NAME=VALUE.
	Environment []string
	// NewRun records a run of a container's process.
	NewRun func(component string, number int) worker.Run
	// BackOff and MaxBackOff replace the pauses of a kubelet before restarts.
	BackOff, MaxBackOff time.Duration
	Logger              logr.Logger
}

// Node runs Pods. It is one incarnation: Start runs once.
type Node struct {
	options  Options
	client   kubernetes.Interface
	listener net.Listener
	server   *http.Server
	node     *vknode.NodeController
	pods     *vknode.PodController
	provider *provider
	caches   []informers.SharedInformerFactory
	objects  informers.SharedInformerFactory
	events   record.EventBroadcaster
	ready    chan struct{}
}

// New returns a node, and opens the port of its server.
func New(options Options) (_ *Node, err error) {
	n := &Node{options: options, ready: make(chan struct{})}
	if n.client, err = kubernetes.NewForConfig(options.Config); err != nil {
		return nil, fmt.Errorf("connect the node to the API server: %w", err)
	}
	if n.listener, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(environment.Address, "0")); err != nil {
		return nil, fmt.Errorf("open a port for the node: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.listener.Close())
		}
	}()
	n.events = record.NewBroadcaster()
	recorder := n.events.NewRecorder(clientgoscheme.Scheme, corev1.EventSource{Component: "kubelet", Host: Name})
	own := informers.NewSharedInformerFactoryWithOptions(n.client, 0, informers.WithTweakListOptions(onNode(Name)))
	n.objects = informers.NewSharedInformerFactory(n.client, 0)
	n.caches = []informers.SharedInformerFactory{own, n.objects}
	n.provider = newProvider(n, recorder)
	if err := n.wakePods(); err != nil {
		return nil, err
	}
	if err := n.control(own, recorder); err != nil {
		return nil, err
	}
	n.server = &http.Server{Handler: n.provider.handler(), TLSConfig: options.Serving, ReadHeaderTimeout: readHeaderTimeout}
	return n, nil
}

const readHeaderTimeout = 10 * time.Second

// control creates the controllers of the node and of its Pods.
func (n *Node) control(own informers.SharedInformerFactory, recorder record.EventRecorder) (err error) {
	// The library needs these listers, but it does not use them, because the provider resolves references by itself.
	unused := informers.NewSharedInformerFactory(n.client, 0).Core().V1()
	n.pods, err = vknode.NewPodController(vknode.PodControllerConfig{
		PodClient: n.client.CoreV1(), PodInformer: own.Core().V1().Pods(), EventRecorder: quiet{recorder}, Provider: n.provider,
		ConfigMapInformer: unused.ConfigMaps(), SecretInformer: unused.Secrets(), ServiceInformer: unused.Services(),
		SkipDownwardAPIResolution: true,
	})
	if err != nil {
		return fmt.Errorf("create the controller of Pods: %w", err)
	}
	port := n.listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
	leases := n.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	n.node, err = vknode.NewNodeController(vknode.NaiveNodeProvider{}, newNode(port), n.client.CoreV1().Nodes(),
		vknode.WithNodeEnableLeaseV1(leases, leaseSeconds))
	if err != nil {
		return fmt.Errorf("create the controller of the node: %w", err)
	}
	return nil
}

// wakePods makes Pods look again when a Secret or ConfigMap changes.
func (n *Node) wakePods() error {
	for _, informer := range []toolscache.SharedIndexInformer{
		n.objects.Core().V1().Secrets().Informer(), n.objects.Core().V1().ConfigMaps().Informer(),
	} {
		if err := informer.SetTransform(withoutContent); err != nil {
			return err
		}
		wake := func(obj any) {
			if key, err := toolscache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				namespace, _, _ := toolscache.SplitMetaNamespaceKey(key)
				n.provider.wake(namespace)
			}
		}
		handler := toolscache.ResourceEventHandlerFuncs{AddFunc: wake, UpdateFunc: func(_, obj any) { wake(obj) }, DeleteFunc: wake}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	return nil
}

// withoutContent keeps no content in memory: Pods read the objects when they need them.
func withoutContent(obj any) (any, error) {
	switch o := obj.(type) {
	case *corev1.Secret:
		return &corev1.Secret{ObjectMeta: o.ObjectMeta}, nil
	case *corev1.ConfigMap:
		return &corev1.ConfigMap{ObjectMeta: o.ObjectMeta}, nil
	}
	return obj, nil
}

// Start runs the node until ctx is done. Then it kills the processes of its Pods; their status stays.
func (n *Node) Start(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	sink := n.events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: n.client.CoreV1().Events("")})
	for _, factory := range n.caches {
		factory.StartWithContext(ctx)
	}
	group.Go(func() error { return n.serve(ctx) })
	group.Go(func() error { return n.node.Run(ctx) })
	group.Go(func() error { return n.pods.Run(ctx, syncWorkers) })
	group.Go(func() error { return newScheduler(n).run(ctx) })
	group.Go(func() error {
		for _, started := range []<-chan struct{}{n.node.Ready(), n.pods.Ready()} {
			select {
			case <-started:
			case <-ctx.Done():
				return nil
			}
		}
		close(n.ready)
		return nil
	})
	err := group.Wait()
	n.provider.stop()
	sink.Stop()
	n.events.Shutdown()
	for _, factory := range n.caches {
		factory.Shutdown()
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// WaitReady returns when the node is registered and runs Pods.
func (n *Node) WaitReady(ctx context.Context) error {
	select {
	case <-n.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Crash kills the process of a container, as kill -9 does. It reports whether one runs.
func (n *Node) Crash(namespace, pod, container string) bool {
	w := n.provider.find(namespace, pod)
	return w != nil && w.Crash(container)
}

func onNode(name string) func(*metav1.ListOptions) {
	return func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", name).String()
	}
}

// quiet drops the Events of the library about its provider, which no kubelet writes.
type quiet struct{ record.EventRecorder }

// Event implements record.EventRecorder.
func (quiet) Event(runtime.Object, string, string, string) {}

// Eventf implements record.EventRecorder.
func (quiet) Eventf(runtime.Object, string, string, string, ...any) {}
