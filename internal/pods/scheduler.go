package pods

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corev1listers "k8s.io/client-go/listers/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scheduler assigns Pods to the node, or tells with a condition why the node cannot run them.
type scheduler struct {
	node    *Node
	factory informers.SharedInformerFactory
	pods    corev1listers.PodLister
	queue   workqueue.TypedRateLimitingInterface[string]
}

func newScheduler(n *Node) *scheduler {
	s := &scheduler{
		node:    n,
		factory: informers.NewSharedInformerFactoryWithOptions(n.client, 0, informers.WithTweakListOptions(onNode(""))),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	s.pods = s.factory.Core().V1().Pods().Lister()
	return s
}

// run schedules Pods until ctx is done.
func (s *scheduler) run(ctx context.Context) error {
	add := func(obj any) {
		if key, err := toolscache.MetaNamespaceKeyFunc(obj); err == nil {
			s.queue.Add(key)
		}
	}
	informer := s.factory.Core().V1().Pods().Informer()
	handler := toolscache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }}
	if _, err := informer.AddEventHandler(handler); err != nil {
		return err
	}
	s.factory.StartWithContext(ctx)
	defer s.factory.Shutdown()
	defer context.AfterFunc(ctx, s.queue.ShutDown)()
	if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil
	}
	for {
		key, shutdown := s.queue.Get()
		if shutdown {
			return nil
		}
		if err := s.schedule(ctx, key); err != nil && ctx.Err() == nil {
			s.queue.AddRateLimited(key)
		} else {
			s.queue.Forget(key)
		}
		s.queue.Done(key)
	}
}

// fullPause is how long the scheduler waits before it looks again whether the node has room.
const fullPause = time.Second

func (s *scheduler) schedule(ctx context.Context, key string) error {
	namespace, name, err := toolscache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil //nolint:nilerr // it is no Pod
	}
	pod, err := s.pods.Pods(namespace).Get(name)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	if pod.DeletionTimestamp != nil || pod.Spec.SchedulerName != corev1.DefaultSchedulerName || len(pod.Spec.SchedulingGates) > 0 {
		return nil
	}
	reason := Unserved(pod)
	if reason == "" && s.node.isFull() {
		reason = "Too many pods"
		s.queue.AddAfter(key, fullPause)
	}
	if reason != "" {
		return s.reject(ctx, pod, "0/1 nodes are available: "+reason)
	}
	return s.bind(ctx, pod, key)
}

// bind assigns a Pod to the node.
func (s *scheduler) bind(ctx context.Context, pod *corev1.Pod, key string) error {
	err := s.node.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: Name},
	}, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it has gone, or has a node
	}
	if err == nil {
		s.node.provider.recorder.Eventf(pod, corev1.EventTypeNormal, "Scheduled", "Successfully assigned %s to %s", key, Name)
	}
	return err
}

// isFull reports whether the node has as many Pods as it can.
func (n *Node) isFull() bool {
	all, err := n.caches[0].Core().V1().Pods().Lister().List(labels.Everything())
	running := slices.DeleteFunc(slices.Clone(all), func(p *corev1.Pod) bool {
		return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	})
	limit := newNode(0).Status.Allocatable[corev1.ResourcePods]
	return err == nil && int64(len(running)) >= limit.Value()
}

// reject sets the condition of a Pod that the node cannot run.
func (s *scheduler) reject(ctx context.Context, pod *corev1.Pod, message string) error {
	condition := corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
		ObservedGeneration: pod.Generation, LastTransitionTime: metav1.Now(),
	}
	at := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled })
	if at >= 0 && pod.Status.Conditions[at].Message == message && pod.Status.Conditions[at].Reason == condition.Reason {
		return nil
	}
	pod = pod.DeepCopy()
	if at >= 0 {
		pod.Status.Conditions[at] = condition
	} else {
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
	}
	_, err := s.node.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("set the condition of Pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	s.node.provider.recorder.Event(pod, corev1.EventTypeWarning, "FailedScheduling", message)
	return nil
}
