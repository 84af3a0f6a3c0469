package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// expect waits until every object matches. They need not match at the same time.
func (r *run) expect(ctx context.Context, s *spec.Step) (any, error) {
	var result any
	for i := range *s.Expect {
		expectation := &(*s.Expect)[i]
		object, err := r.referred(ctx, expectation.Object)
		if err != nil {
			return nil, err
		}
		wait := &objectWait{run: r, object: object, pattern: r.demanded(expectation)}
		if result, err = wait.untilInVain(ctx); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// demanded returns the pattern of an object: what a specification demands, if a controller or a sidecar is the user's own.
func (r *run) demanded(e *spec.Expectation) spec.Pattern {
	if r.engine.emulator.Info().OwnComponents {
		return e.Pattern.Specified()
	}
	return e.Pattern
}

// objectWait waits until one object matches, or until it does not.
type objectWait struct {
	run     *run
	object  *unstructured.Unstructured
	pattern spec.Pattern
	// forDifference waits until the object does not match.
	forDifference bool

	observed    bool
	version     string // resource version at the last read, empty if the object was absent
	last        any
	differences []match.Difference
	lastErr     error // last error of the API
}

const (
	// retryDelay is the delay after an error of the API.
	retryDelay = 50 * time.Millisecond
	// lastAttemptTimeout is the time limit of the last read, if the step's timeout left no
	// time for one.
	lastAttemptTimeout = 5 * time.Second
)

func (w *objectWait) until(ctx context.Context) (any, error) {
	for {
		matched, err := w.get(ctx)
		if matched {
			return w.last, nil
		}
		if err != nil {
			return nil, err
		}
		if matched, err = w.watch(ctx); matched {
			return w.last, nil
		}
		switch {
		case ctx.Err() != nil:
			return w.lastAttempt(ctx)
		case errors.Is(err, errEvaluate):
			return nil, err
		case err != nil:
			w.lastErr = err
			idle.Pause(ctx, retryDelay)
		}
	}
}

// lastAttempt reads the object once if the wait ended before the first read. Otherwise
// the result would depend on the speed of the API server.
func (w *objectWait) lastAttempt(ctx context.Context) (any, error) {
	if !w.observed {
		w.lastErr = nil // the timeout caused it
		looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAttemptTimeout)
		defer cancel()
		if matched, err := w.get(looking); matched || err != nil {
			return w.last, err
		}
	}
	return nil, w.failure(ctx)
}

var errEvaluate = errors.New("the pattern cannot be evaluated")

func (w *objectWait) get(ctx context.Context) (bool, error) {
	object := w.object.DeepCopy()
	err := w.run.engine.client.Get(ctx, client.ObjectKeyFromObject(object), object)
	switch {
	case err == nil:
		w.version = object.GetResourceVersion()
		return w.compare(ctx, object.Object)
	case apierrors.IsNotFound(err):
		w.version = ""
		return w.compare(ctx, match.Missing)
	}
	w.lastErr = err // it may be transient
	return false, nil
}

// watch watches the object, from the version last read, until it matches or the watch
// ends.
func (w *objectWait) watch(ctx context.Context) (bool, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(w.object.GroupVersionKind())
	watcher, err := w.run.engine.client.Watch(ctx, list, client.InNamespace(w.object.GetNamespace()),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", w.object.GetName())},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: w.version}})
	if err != nil {
		return false, err
	}
	defer watcher.Stop()
	if w.version == "" { // changes between the read and the watch
		if matched, err := w.get(ctx); matched || err != nil {
			return matched, err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case event, open := <-watcher.ResultChan():
			if !open {
				return false, nil
			}
			if matched, err := w.event(ctx, event); matched || err != nil {
				return matched, err
			}
		}
	}
}

func (w *objectWait) event(ctx context.Context, event watch.Event) (bool, error) {
	object, ok := event.Object.(*unstructured.Unstructured)
	switch {
	case event.Type == watch.Error:
		return false, apierrors.FromObject(event.Object)
	case event.Type == watch.Deleted:
		return w.compare(ctx, match.Missing)
	case ok && event.Type != watch.Bookmark:
		return w.compare(ctx, object.Object)
	}
	return false, nil
}

func (w *objectWait) compare(ctx context.Context, got any) (bool, error) {
	got = render.Readable(got)
	differences, err := match.Match(w.pattern, got, w.run.variables.Now(ctx))
	if err != nil {
		return false, fmt.Errorf("%w: %w", errEvaluate, err)
	}
	w.observed, w.last, w.differences = true, got, render.Differences(got, differences)
	if got == match.Missing {
		w.last = nil
	}
	return (len(differences) == 0) != w.forDifference, nil
}

func (w *objectWait) failure(ctx context.Context) error {
	message := fmt.Sprintf("%s: %s", subjectOf(w.object), context.Cause(ctx))
	if w.lastErr != nil {
		message += fmt.Sprintf(" (latest API error: %s)", w.lastErr)
	}
	var notes []string
	for _, d := range w.differences {
		if d.Unevaluated { // the values alone do not show why
			notes = append(notes, d.String())
		}
	}
	return &outcome.Failure{
		Message: message, Subject: subjectOf(w.object), Differences: w.differences, Notes: notes,
		Expected: render.Expected(w.pattern, w.run.variables.Now(ctx)), Got: render.Got(w.last),
	}
}
