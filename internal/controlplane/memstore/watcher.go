package memstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/utils/clock"
)

// batch is how many events a watcher takes from the history at a time.
const batch = 64

// watcher is one watch. Its goroutine reads the history from where it is; writers only
// wake it. It ends with its context, with Stop, or with an error.
type watcher struct {
	resource  *resourceStore
	keys      keyRange
	predicate storage.SelectionPredicate
	results   chan watch.Event
	wake      chan struct{} // holds one: the events are in the history
	cancel    context.CancelFunc

	// Only the goroutine uses these once it runs.
	revision   int64     // all events up to it are sent
	initial    []*record // to be sent first
	initialEnd bool      // whether a bookmark is to follow them

	// Bookmarks, if interval is not 0.
	interval time.Duration
	deadline time.Time // zero if the watch has none
	timer    clock.Timer
	due      bool

	progress          bool
	progressRequested atomic.Bool
	restored          atomic.Bool // the history is not the one that was watched
}

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event {
	return w.results
}

// Stop implements watch.Interface.
func (w *watcher) Stop() {
	w.cancel()
}

// notify wakes the watcher. It never blocks.
func (w *watcher) notify() {
	select {
	case w.wake <- struct{}{}:
	default: // it is awake
	}
}

func (w *watcher) run(ctx context.Context) {
	defer w.end()
	if err := w.sendInitial(ctx); err != nil {
		w.fail(ctx, err)
		return
	}
	utilflowcontrol.WatchInitialized(ctx)
	w.setTimer()
	for {
		if err := w.catchUp(ctx); err != nil {
			w.fail(ctx, err)
			return
		}
		if err := w.wait(ctx); err != nil {
			return
		}
	}
}

func (w *watcher) end() {
	w.cancel()
	s := w.resource.store
	s.mu.Lock()
	delete(w.resource.history.watchers, w)
	s.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	close(w.results)
	w.resource.watches.Done()
}

// sendInitial sends the state at the beginning.
func (w *watcher) sendInitial(ctx context.Context) error {
	initial := w.initial
	w.initial = nil
	for _, rec := range initial {
		obj, err := w.resource.shared(ctx, rec)
		if err != nil {
			return err
		}
		if !matches(w.predicate, obj) {
			continue
		}
		if err := w.send(ctx, watch.Added, newSharedObject(obj)); err != nil {
			return err
		}
	}
	if !w.initialEnd {
		return nil
	}
	return w.sendBookmark(ctx, storage.AnnotateInitialEventsEndBookmark)
}

// catchUp sends all events that have happened, and then the bookmark that is due.
func (w *watcher) catchUp(ctx context.Context) error {
	for {
		requested := w.progressRequested.Swap(false)
		events, err := w.next()
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := w.handle(ctx, e); err != nil {
				return err
			}
			w.revision = e.revision
		}
		if len(events) > 0 {
			if requested {
				w.due = true
			}
			continue
		}
		if !w.due && !requested {
			return nil
		}
		w.due = false
		w.setTimer()
		return w.sendBookmark(ctx, nil)
	}
}

// next returns the events that come next. If there are none, the watcher is at the
// revision of the store.
func (w *watcher) next() ([]*event, error) {
	s := w.resource.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := w.resource.history
	if w.revision < h.dropped || w.restored.Load() {
		return nil, errTooOld(w.revision, h.compacted)
	}
	events := h.since(w.revision, batch)
	if len(events) == 0 {
		w.revision = max(w.revision, s.revision)
	}
	return events, nil
}

// wait returns when there may be something to send, or with the error of the context.
func (w *watcher) wait(ctx context.Context) error {
	var timer <-chan time.Time
	if w.timer != nil {
		timer = w.timer.C()
	}
	select {
	case <-w.wake:
	case <-timer:
		w.due = true
	case <-ctx.Done():
	}
	return ctx.Err()
}

// setTimer sets when the next bookmark is due: after the interval, or shortly before the
// end of the watch.
func (w *watcher) setTimer() {
	if w.interval == 0 {
		return
	}
	c := w.resource.store.options.Clock
	in := w.interval
	if !w.deadline.IsZero() {
		in = min(in, w.deadline.Sub(c.Now())-beforeDeadline)
	}
	if in <= 0 {
		return // the last one was sent
	}
	if w.timer == nil {
		w.timer = c.NewTimer(in)
		return
	}
	w.timer.Reset(in)
}

func (w *watcher) sendBookmark(ctx context.Context, annotate func(runtime.Object) error) error {
	obj := w.resource.newFunc()
	if err := w.resource.setRevision(obj, w.revision); err != nil {
		return err
	}
	if annotate != nil {
		if err := annotate(obj); err != nil {
			return fmt.Errorf("mark the end of the initial events on %T: %w", obj, err)
		}
	}
	return w.send(ctx, watch.Bookmark, obj)
}

// handle sends an event as the selection of the watch sees it: an object that enters the
// selection is added, and one that leaves it is deleted.
func (w *watcher) handle(ctx context.Context, e *event) error {
	if !w.keys.contains(e.key) {
		return nil
	}
	now, err := w.selects(ctx, e, e.current)
	if err != nil {
		return err
	}
	before, err := w.selects(ctx, e, e.previous)
	if err != nil {
		return err
	}
	switch {
	case now && before:
		return w.sendShared(ctx, watch.Modified, e, &e.currentObjects, e.current)
	case now:
		return w.sendShared(ctx, watch.Added, e, &e.currentObjects, e.current)
	case before:
		return w.sendShared(ctx, watch.Deleted, e, &e.previousObjects, e.previous)
	default:
		return nil
	}
}

// selects reports whether the object exists at an event and the watch selects it.
func (w *watcher) selects(ctx context.Context, e *event, rec *record) (bool, error) {
	if rec == nil || w.predicate.Empty() {
		return rec != nil, nil
	}
	obj, err := w.resource.atEvent(ctx, e, rec)
	if err != nil {
		return false, err
	}
	return matches(w.predicate, obj), nil
}

// sendShared sends an object of an event, which the watchers of a resource store share
// with its encodings. A deleted one has the resource version of the deletion.
func (w *watcher) sendShared(ctx context.Context, kind watch.EventType, e *event, kept *decoded, rec *record) error {
	r := w.resource
	if obj := kept.of(r); obj != nil {
		return w.send(ctx, kind, obj)
	}
	obj, err := r.atEvent(ctx, e, rec)
	if err != nil {
		return err
	}
	if kind == watch.Deleted {
		obj = obj.DeepCopyObject()
		if err := r.setRevision(obj, e.revision); err != nil {
			return err
		}
	}
	var sent runtime.Object = newSharedObject(obj)
	if r.transformer == nil && !e.old.Load() {
		sent = kept.keep(r, sent)
	}
	return w.send(ctx, kind, sent)
}

// send hands an event to the reader, and waits until it is taken. The history holds what
// comes next.
func (w *watcher) send(ctx context.Context, kind watch.EventType, obj runtime.Object) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.results <- watch.Event{Type: kind, Object: obj}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fail ends the watch with an error, unless its reader has ended it.
func (w *watcher) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	select {
	case w.results <- errorEvent(err):
	case <-ctx.Done():
	}
}
