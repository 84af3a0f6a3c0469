package controllers

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// nodes keeps the taints of nodes as their condition Ready requires.
type nodes struct {
	client corev1client.CoreV1Interface
	queue  queue // of names
}

func newNodes(shared clients, informer toolscache.SharedIndexInformer) (*nodes, error) {
	n := &nodes{client: shared.core, queue: newQueue()}
	enqueue := func(obj any) {
		if node, ok := obj.(*corev1.Node); ok && !slices.Equal(taintsOf(node), node.Spec.Taints) {
			n.queue.Add(node.Name)
		}
	}
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	return n, err
}

func (n *nodes) process(ctx context.Context, name string) error {
	node, err := n.client.Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	taints := taintsOf(node)
	if slices.Equal(taints, node.Spec.Taints) {
		return nil
	}
	node.Spec.Taints = taints
	_, err = n.client.Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return ignoreNotFound(err)
}

// taintsOf returns the taints that a node should have.
func taintsOf(node *corev1.Node) []corev1.Taint {
	wanted := corev1.TaintNodeNotReady // also before the first status
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		switch condition.Status {
		case corev1.ConditionTrue:
			wanted = ""
		case corev1.ConditionUnknown:
			wanted = corev1.TaintNodeUnreachable
		default:
		}
	}
	var taints []corev1.Taint
	for _, taint := range node.Spec.Taints {
		isOurs := taint.Effect == corev1.TaintEffectNoSchedule &&
			(taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable)
		switch {
		case !isOurs:
			taints = append(taints, taint)
		case taint.Key == wanted:
			taints, wanted = append(taints, taint), ""
		}
	}
	if wanted != "" {
		taints = append(taints, corev1.Taint{Key: wanted, Effect: corev1.TaintEffectNoSchedule})
	}
	return taints
}
