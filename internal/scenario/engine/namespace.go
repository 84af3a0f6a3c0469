package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// maxDeletedNamespaces is the maximum number of unused namespaces that stay in a control plane that
// ends with the emulator. To delete one, Kubernetes lists and deletes each of its kinds in turn:
// about 80 requests, as many as a scenario makes.
const maxDeletedNamespaces = 256

// namespaceQueue has the namespaces of ended scenarios that are not deleted yet.
type namespaceQueue struct {
	mu    sync.Mutex
	names []string // oldest first
}

func (q *namespaceQueue) add(name string) (excess []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.names = append(q.names, name)
	excess = q.names[:max(0, len(q.names)-maxDeletedNamespaces)]
	q.names = q.names[len(excess):]
	return excess
}

// deleteNamespace deletes the scenario's namespace without waiting. It keeps a
// namespace that existed before. An empty one stays in the queue if the control plane
// ends with the emulator.
func (r *run) deleteNamespace(ctx context.Context) error {
	if r.engine.options.Namespace != "" {
		return nil
	}
	drop := []string{r.namespace}
	if info := r.engine.emulator.Info(); info.ControlPlane != "" && info.DataDir == "" && r.isEmpty() { // it ends with the emulator
		drop = r.engine.deleted.add(r.namespace)
	}
	var failed []error
	for _, name := range drop {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		failed = append(failed, client.IgnoreNotFound(r.engine.client.Delete(ctx, namespace)))
	}
	return errors.Join(failed...)
}

func (r *run) addNamespace(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.namespaces, name) {
		r.namespaces = append(r.namespaces, name)
	}
}

// hasNamespace reports whether a namespace is the scenario's, or created by a step.
func (r *run) hasNamespace(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return name == r.namespace || slices.Contains(r.namespaces, name)
}

// isEmpty reports whether the namespace is certainly empty: the clean-up succeeded,
// and no program has created unknown objects.
func (r *run) isEmpty() bool {
	return len(r.result.Failures) == 0 && !spec.AnyStep(r.scenario.Steps, func(s spec.Step) bool { return s.Verb == "exec" })
}

// newScope chooses an unused name and creates the namespace of that name, unless all
// scenarios share one. Another engine on the same cluster may use a name, or its
// namespace may be terminating.
func (e *Engine) newScope(ctx context.Context, scenario string) (string, error) {
	for {
		scope := eventscope.Name(scenario, e.scopes.Add(1))
		if e.options.Namespace != "" {
			return scope, nil
		}
		err := e.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: scope}})
		if apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			return scope, fmt.Errorf("create the scenario's namespace: %w", err)
		}
		return scope, nil
	}
}
