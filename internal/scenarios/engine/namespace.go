package engine

import (
	"context"
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxSpent is how many namespaces that nobody needs may stay in a control plane that
// is thrown away in the end. Deleting one makes Kubernetes list, and delete, each kind
// that it has, one after the other: some 80 requests, as many as a scenario makes.
const maxSpent = 256

// spent are the namespaces of scenarios that have ended, which nobody has deleted.
type spent struct {
	mu    sync.Mutex
	names []string // the oldest first
}

// add takes a namespace, and returns those that are too many.
func (s *spent) add(name string) (excess []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, name)
	excess = s.names[:max(0, len(s.names)-maxSpent)]
	s.names = s.names[len(excess):]
	return excess
}

// dropNamespace deletes the scenario's namespace, and does not wait for it. One that
// was there before stays. One that has nothing in it stays for a while if all goes with
// the emulator anyway.
func (r *run) dropNamespace(ctx context.Context) error {
	if r.engine.options.Namespace != "" {
		return nil
	}
	drop := []string{r.namespace}
	if r.engine.emulator.Ephemeral() && r.isEmpty() {
		drop = r.engine.spent.add(r.namespace)
	}
	var failed []error
	for _, name := range drop {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		failed = append(failed, client.IgnoreNotFound(r.engine.client.Delete(ctx, namespace)))
	}
	return errors.Join(failed...)
}

// isEmpty reports whether nothing of the scenario's can be left: its clean-up has
// worked, and no program has made what nobody knows of.
func (r *run) isEmpty() bool {
	return len(r.result.Failures) == 0 && !anyStep(r.scenario.Steps, verbIs("exec"))
}
