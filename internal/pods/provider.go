package pods

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"

	"github.com/cosi-emu/cosi-emu/internal/pods/worker"
)

// provider is the part of the node that Virtual Kubelet's controllers call.
type provider struct {
	node     *Node
	recorder record.EventRecorder
	sources  *sources

	mu      sync.Mutex
	notify  func(*corev1.Pod)
	workers map[types.NamespacedName]*worker.Worker
	ending  sync.WaitGroup // one for each Pod until it has ended
	stopped bool
}

func newProvider(n *Node, recorder record.EventRecorder) *provider {
	return &provider{
		node: n, recorder: recorder, sources: &sources{client: n.client}, workers: map[types.NamespacedName]*worker.Worker{},
		notify: func(*corev1.Pod) {},
	}
}

func keyOf(pod *corev1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func (p *provider) config() worker.Config {
	o := &p.node.options
	return worker.Config{
		Sources: p.sources, Drivers: o.Drivers, Images: o.Images, Dir: o.Dir, Environment: o.Environment, Server: o.Server,
		Notify: func(pod *corev1.Pod) {
			p.mu.Lock()
			notify := p.notify
			p.mu.Unlock()
			notify(pod)
		},
		Event: func(pod *corev1.Pod, eventType, reason, message string) {
			p.recorder.Event(pod, eventType, reason, message)
		},
		NewRun: o.NewRun, BackOff: o.BackOff, MaxBackOff: o.MaxBackOff,
	}
}

// CreatePod implements node.PodLifecycleHandler.
func (p *provider) CreatePod(ctx context.Context, pod *corev1.Pod) error {
	key := keyOf(pod)
	if earlier := p.find(pod.Namespace, pod.Name); earlier != nil { // another Pod of this name, which ends
		earlier.Terminate(0)
		select {
		case <-earlier.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return context.Canceled
	}
	w := worker.Start(p.config(), pod) //nolint:contextcheck // it outlives the call
	p.workers[key] = w
	p.ending.Go(func() { <-w.Done() })
	return nil
}

// UpdatePod implements node.PodLifecycleHandler.
func (p *provider) UpdatePod(_ context.Context, pod *corev1.Pod) error {
	if w := p.find(pod.Namespace, pod.Name); w != nil {
		w.Update(pod)
	}
	return nil
}

// DeletePod implements node.PodLifecycleHandler. The Pod ends within its grace period; then the node deletes it from
// the API server, at once.
func (p *provider) DeletePod(_ context.Context, pod *corev1.Pod) error {
	w := p.find(pod.Namespace, pod.Name)
	if w == nil || w.Pod().UID != pod.UID {
		return errdefs.NotFound("the Pod does not run")
	}
	grace := time.Duration(0)
	if seconds := pod.DeletionGracePeriodSeconds; seconds != nil {
		grace = time.Duration(*seconds) * time.Second
	}
	w.Terminate(grace)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.ending.Go(func() { //nolint:contextcheck // it outlives the call
			<-w.Done()
			p.forget(w)
		})
	}
	return nil
}

// deleteTimeout limits a deletion in the API server; Virtual Kubelet deletes a Pod, too, after its grace period.
const deleteTimeout = 10 * time.Second

// forget removes a Pod that has ended.
func (p *provider) forget(w *worker.Worker) {
	pod := w.Pod()
	p.mu.Lock()
	if p.workers[keyOf(pod)] == w {
		delete(p.workers, keyOf(pod))
	}
	stopped := p.stopped
	p.mu.Unlock()
	if err := w.Remove(); err != nil {
		p.node.options.Logger.Error(err, "The logs of a Pod were not removed", "pod", keyOf(pod))
	}
	if stopped {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	err := p.node.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		p.node.options.Logger.Error(err, "A Pod that has ended was not deleted", "pod", keyOf(pod))
	}
}

// GetPod implements node.PodLifecycleHandler.
func (p *provider) GetPod(_ context.Context, namespace, name string) (*corev1.Pod, error) {
	w := p.find(namespace, name)
	if w == nil {
		return nil, errdefs.NotFound("the Pod does not run")
	}
	return w.Pod(), nil
}

// GetPodStatus implements node.PodLifecycleHandler.
func (p *provider) GetPodStatus(ctx context.Context, namespace, name string) (*corev1.PodStatus, error) {
	pod, err := p.GetPod(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	return &pod.Status, nil
}

// GetPods implements node.PodLifecycleHandler.
func (p *provider) GetPods(context.Context) ([]*corev1.Pod, error) {
	var all []*corev1.Pod
	for _, w := range p.all() {
		all = append(all, w.Pod())
	}
	return all, nil
}

// NotifyPods implements node.PodNotifier.
func (p *provider) NotifyPods(_ context.Context, notify func(*corev1.Pod)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify = notify
}

func (p *provider) find(namespace, name string) *worker.Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers[types.NamespacedName{Namespace: namespace, Name: name}]
}

func (p *provider) all() []*worker.Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*worker.Worker
	for _, w := range p.workers {
		all = append(all, w)
	}
	return all
}

// wake makes the Pods of a namespace look again at their objects.
func (p *provider) wake(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, w := range p.workers {
		if key.Namespace == namespace {
			w.Wake()
		}
	}
}

// stop kills all processes, and waits for their ends.
func (p *provider) stop() {
	p.mu.Lock()
	p.stopped = true
	p.notify = func(*corev1.Pod) {}
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, w := range p.all() {
		all.Go(w.Stop)
	}
	all.Wait()
	p.ending.Wait()
}

// cut divides NAMESPACE/NAME.
func cut(key string) (namespace, name string) {
	namespace, name, _ = strings.Cut(key, "/")
	return namespace, name
}
