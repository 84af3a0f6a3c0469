package e2e_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// scene is what one test has of a world: a namespace, and names of its own for
// what has no namespace. Its client is the administrator's.
type scene struct {
	*cluster.Cluster
	*world
}

func (w *world) newScene(tb testing.TB) *scene {
	tb.Helper()
	// The namespace goes with the control plane. Deleting it here would keep
	// kube-controller-manager busy during the tests that follow.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "flow-"}}
	cluster := &cluster.Cluster{TB: tb, Client: w.emu.Client()}
	cluster.Make(namespace)
	cluster.Namespace = namespace.Name
	return &scene{Cluster: cluster, world: w}
}
