package phasetest

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Run has a runner reconcile the object as the cache shows it. The runner has the phases of
// the case: see Walk.
func Run[T client.Object](c *Case, runner *cosireconcile.Runner[T], object T) Outcome {
	c.Helper()
	return c.Do(object, func(ctx context.Context, found *error) (reconcile.Result, error) {
		runner.Provision = catching(runner.Provision, found)
		runner.Deprovision = catching(runner.Deprovision, found)
		return runner.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	})
}

// Walk gives a runner the phases of a case, and no others. A phase is a method expression of an
// attempt, as in (*attempt).bind. If there are several, the case tests the last one, and the earlier
// ones read its input. Without any, the runner keeps its own.
func Walk[T client.Object, A any](
	runner *cosireconcile.Runner[T], newAttempt func(*cosireconcile.Patcher[T]) A, phases []func(A, context.Context) error,
) *cosireconcile.Runner[T] {
	if len(phases) == 0 {
		return runner
	}
	runner.Provision = func(p *cosireconcile.Patcher[T]) []cosireconcile.Phase {
		a := newAttempt(p)
		var bound []cosireconcile.Phase
		for _, phase := range phases {
			bound = append(bound, func(ctx context.Context) error { return phase(a, ctx) })
		}
		return bound
	}
	runner.Deprovision = runner.Provision
	return runner
}

// catching returns phases that keep their error.
func catching[T client.Object](
	phases func(*cosireconcile.Patcher[T]) []cosireconcile.Phase, found *error, //nolint:gocritic // it is set
) func(*cosireconcile.Patcher[T]) []cosireconcile.Phase {
	return func(p *cosireconcile.Patcher[T]) []cosireconcile.Phase {
		var caught []cosireconcile.Phase
		for _, phase := range phases(p) {
			caught = append(caught, func(ctx context.Context) error {
				*found = phase(ctx)
				return *found
			})
		}
		return caught
	}
}

// Do is Run for a reconciler without a runner. The function reconciles the object, and may keep the
// error of a phase.
func (c *Case) Do(object client.Object, reconciles func(ctx context.Context, found *error) (reconcile.Result, error)) Outcome {
	c.Helper()
	c.before = c.read()
	before := c.conditions(object)
	c.requests.Intercept(c.intercept)
	c.runs.Store(true)
	var found error
	result, err := reconciles(c.Context(), &found)
	c.requests.Intercept(nil)
	for _, h := range c.hooks {
		if h.do != nil {
			c.Errorf("the phase has made no request or call that begins with %q", h.line)
		}
	}
	if found == nil {
		found = err
	}
	return Outcome{
		Writes:     c.writes(),
		Changes:    c.shorten(c.changes()...),
		Conditions: c.shorten(changedConditions(before, c.conditions(object))...),
		Events:     c.shorten(c.recorder.lines...),
		Err:        errorKind(found),
		Requeue:    !result.IsZero() || err != nil && !errors.Is(err, reconcile.TerminalError(nil)),
	}
}

func (c *Case) writes() []string {
	var lines []string
	for _, request := range c.requests.Writes() {
		lines = append(lines, lineOf(request))
	}
	return c.shorten(c.calls.among(lines)...)
}

// changes returns the differences of the API server's objects from before the phase.
func (c *Case) changes() []string {
	c.Helper()
	after := c.read()
	c.readCreated(after, c.requests.Writes())
	return after.changes(c.before)
}

// conditions returns the conditions of an object on the API server, if it still exists and
// has any.
func (c *Case) conditions(object client.Object) []metav1.Condition {
	c.Helper()
	now, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return nil
	}
	err := c.Refresh(now)
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(now)
	c.Must(err)
	c.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &status))
	return status.Status.Conditions
}
