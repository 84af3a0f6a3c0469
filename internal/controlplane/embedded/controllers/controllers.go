package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	extensionsinformers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	rbacv1client "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// userAgent is the name of the controllers in managed fields.
const userAgent = "kube-controller-manager"

// Controllers are running controllers.
type Controllers struct {
	cancel context.CancelFunc
	queues []interface{ ShutDown() }
	work   sync.WaitGroup

	kube       *builtinInformers
	extensions extensionsinformers.SharedInformerFactory
	monitors   *monitors
	events     record.EventBroadcaster
}

// clients are those that the controllers share. The client of all groups would make the
// program larger.
type clients struct {
	core     corev1client.CoreV1Interface
	rbac     rbacv1client.RbacV1Interface
	metadata metadata.Interface
	config   *rest.Config // for clients that only some controllers need
}

// Options select the controllers.
type Options struct {
	// Pods adds those that a node and its Pods need.
	Pods bool
	// BackOff and MaxBackOff are the pauses before a failed Pod of a Job is replaced.
	BackOff, MaxBackOff time.Duration
	// RootCA is the certificate authority of the API server, for Pods.
	RootCA []byte
}

// Start starts the controllers with a client configuration that has all rights. It does
// not wait until they work. They work until Stop, also when ctx ends before.
func Start(ctx context.Context, cfg *rest.Config, opts Options) (*Controllers, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = userAgent
	core, coreErr := corev1client.NewForConfig(protobuf(cfg))
	rbac, rbacErr := rbacv1client.NewForConfig(protobuf(cfg))
	meta, metaErr := metadata.NewForConfig(cfg)
	extensions, extensionsErr := clientset.NewForConfig(cfg)
	if err := errors.Join(coreErr, rbacErr, metaErr, extensionsErr); err != nil {
		return nil, fmt.Errorf("make the clients of the controllers: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &Controllers{
		cancel:     cancel,
		kube:       newInformers(core, rbac),
		extensions: extensionsinformers.NewSharedInformerFactory(extensions, 0),
		monitors:   newMonitors(meta, scheme.Resources(opts.Pods)),
		events:     record.NewBroadcaster(),
	}
	c.events.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: core.Events("")})
	shared := clients{core, rbac, meta, cfg}
	err := c.assemble(ctx, shared)
	if err == nil && opts.Pods {
		err = c.assemblePods(ctx, shared, opts)
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	c.kube.start(ctx)
	c.extensions.Start(ctx.Done())
	c.monitors.start(ctx)
	return c, nil
}

func protobuf(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	return cfg
}

// assemble registers the controllers before the informers start.
func (c *Controllers) assemble(ctx context.Context, shared clients) error {
	definitions := c.extensions.Apiextensions().V1().CustomResourceDefinitions()
	if err := c.monitors.follow(ctx, definitions); err != nil {
		return err
	}
	collector := newCollector(shared, c.monitors,
		c.events.NewRecorder(scheme.External(), corev1.EventSource{Component: "garbage-collector-controller"}))
	namespaces, err := newNamespaces(shared, c.kube.namespaces, definitions.Lister(), c.monitors)
	if err != nil {
		return err
	}
	accounts, err := newAccounts(shared, c.kube.namespaces, c.kube.accounts)
	if err != nil {
		return err
	}
	roles, err := newAggregation(shared, c.kube.clusterRoles)
	if err != nil {
		return err
	}
	quotas, err := newQuotas(shared, c.kube.quotas, c.monitors)
	if err != nil {
		return err
	}
	c.run(ctx, collector.queue, collector.process)
	c.run(ctx, namespaces.queue, namespaces.process)
	c.run(ctx, accounts.queue, accounts.process)
	c.run(ctx, roles.queue, roles.process)
	c.run(ctx, quotas.queue, quotas.process)
	return nil
}

// assemblePods registers the controllers of Options.Pods.
func (c *Controllers) assemblePods(ctx context.Context, shared clients, opts Options) error {
	root, err := newRootCA(shared, c.kube.namespaces, c.monitors, opts.RootCA)
	if err != nil {
		return err
	}
	nodes, err := newNodes(shared, c.kube.watch(shared.core.RESTClient(), "nodes", &corev1.Node{}))
	if err != nil {
		return err
	}
	jobs, err := newJobs(shared, c.monitors, opts, c.events.NewRecorder(scheme.External(), corev1.EventSource{Component: "job-controller"}))
	if err != nil {
		return err
	}
	c.run(ctx, jobs.queue, jobs.Process)
	c.run(ctx, root.queue, root.process)
	c.run(ctx, nodes.queue, nodes.process)
	return nil
}

// Watch reports whether the controllers know the objects of resources, and of all built-in ones.
func (c *Controllers) Watch(resources []schema.GroupResource) bool {
	return c.monitors.watch(resources)
}

// Stop stops the controllers, and waits for them.
func (c *Controllers) Stop() {
	c.cancel()
	for _, queue := range c.queues {
		queue.ShutDown()
	}
	c.work.Wait()
	c.monitors.wait()
	c.kube.work.Wait()
	c.extensions.Shutdown()
	c.events.Shutdown()
}

// queue has the keys of objects that a controller has to process.
type queue = workqueue.TypedRateLimitingInterface[string]

const (
	retryBaseDelay = 5 * time.Millisecond
	retryMaxDelay  = time.Second
)

func newQueue() queue {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryBaseDelay, retryMaxDelay))
}

// run processes the keys of a queue one after the other. It retries those that fail.
func (c *Controllers) run(ctx context.Context, q queue, process func(context.Context, string) error) {
	c.queues = append(c.queues, q)
	c.work.Go(func() {
		for {
			key, ended := q.Get()
			if ended {
				return
			}
			if err := process(ctx, key); err != nil {
				q.AddRateLimited(key)
			} else {
				q.Forget(key)
			}
			q.Done(key)
		}
	})
}
