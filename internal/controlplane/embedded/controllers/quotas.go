package controllers

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	listers "k8s.io/client-go/listers/core/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// quotas writes the number of objects into the status of ResourceQuotas. The API server adds
// the objects that it admits; quotas subtracts deleted ones.
type quotas struct {
	client   corev1client.CoreV1Interface
	lister   listers.ResourceQuotaLister
	monitors *monitors
	queue    queue // of namespace/name, with the prefix grown if objects came, and none went
}

// grown marks a quota whose count can only be too low. The API server has counted objects that the
// monitors do not show yet.
const grown = "+"

func newQuotas(shared clients, informer toolscache.SharedIndexInformer, m *monitors) (*quotas, error) {
	q := &quotas{client: shared.core, lister: listers.NewResourceQuotaLister(informer.GetIndexer()), monitors: m, queue: newQueue()}
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    q.enqueueNew,
		UpdateFunc: func(_, obj any) { q.enqueueNew(obj) },
	})
	m.handle(func(ch change) {
		if ch.object.Namespace == "" {
			return
		}
		all, err := q.lister.ResourceQuotas(ch.object.Namespace).List(labels.Everything())
		if err != nil {
			return // the informer's own store has no errors
		}
		for _, quota := range all {
			if ch.deleted {
				q.enqueue(quota)
			} else {
				q.queue.Add(grown + keyOf(quota))
			}
		}
	})
	return q, err
}

// enqueueNew looks at a quota whose limits have changed. The API server writes the
// status too, and is ahead.
func (q *quotas) enqueueNew(obj any) {
	if quota, ok := obj.(*corev1.ResourceQuota); ok && !equality.Semantic.DeepEqual(quota.Spec.Hard, quota.Status.Hard) {
		q.enqueue(quota)
	}
}

func (q *quotas) enqueue(quota *corev1.ResourceQuota) {
	q.queue.Add(keyOf(quota))
}

func keyOf(quota *corev1.ResourceQuota) string { return quota.Namespace + "/" + quota.Name }

func (q *quotas) process(ctx context.Context, key string) error {
	key, raiseOnly := strings.CutPrefix(key, grown)
	namespace, name, _ := strings.Cut(key, "/")
	quota, err := q.client.ResourceQuotas(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	status := corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard.DeepCopy(), Used: corev1.ResourceList{}}
	var unknown error // its kind may be served in a moment
	for constraint := range quota.Spec.Hard {
		of, ok := scheme.CountedBy(constraint)
		if !ok {
			continue
		}
		n, ok, err := q.count(ctx, quota, of)
		if err != nil {
			return err
		}
		if !ok {
			unknown = fmt.Errorf("quota %s: %s are not watched", key, of)
			continue
		}
		used := *quantity.NewQuantity(int64(n), quantity.DecimalSI)
		if before, ok := quota.Status.Used[constraint]; ok && raiseOnly && before.Cmp(used) > 0 {
			used = before
		}
		status.Used[constraint] = used
	}
	if equality.Semantic.DeepEqual(status, quota.Status) {
		return unknown
	}
	quota.Status = status
	if _, err = q.client.ResourceQuotas(namespace).UpdateStatus(ctx, quota, metav1.UpdateOptions{}); err != nil {
		return ignoreNotFound(err)
	}
	return unknown
}

// count returns the number of objects that a quota limits, and whether it is known.
func (q *quotas) count(ctx context.Context, quota *corev1.ResourceQuota, of schema.GroupResource) (n int, known bool, err error) {
	if len(scheme.ScopesOf(&quota.Spec)) == 0 {
		n, known = q.monitors.count(of, quota.Namespace)
		return n, known, nil
	}
	if of != corev1.Resource("pods") {
		return 0, true, nil
	}
	pods, err := q.client.Pods(quota.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, false, err
	}
	for i := range pods.Items {
		if scheme.InScopes(&quota.Spec, &pods.Items[i]) {
			n++
		}
	}
	return n, true, nil
}
