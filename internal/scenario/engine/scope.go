package engine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

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
