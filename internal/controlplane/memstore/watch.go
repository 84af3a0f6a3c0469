package memstore

import (
	"context"
	"errors"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

const (
	// resultBuffer is how many events wait for a watch's reader; all others stay in the
	// history. The reader of a stopped watch still gets those.
	resultBuffer = 32
	// beforeDeadline is how long before its end a watch gets its last bookmark.
	beforeDeadline = 2 * time.Second
)

// Watch implements storage.Interface. As with the API server's cache, a watch that cannot
// start where it is asked to is one whose only event is the error. The option for
// timestamps is ignored: that cache asks for them, and none stands on this store.
func (r *resourceStore) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	key, err := r.prepareKey(key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	from, err := r.versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	if from > math.MaxInt64 {
		return nil, apierrors.NewBadRequest("invalid resource version: " + opts.ResourceVersion)
	}
	if r.newFunc == nil && (opts.ProgressNotify || opts.Predicate.AllowWatchBookmarks) {
		return nil, apierrors.NewInternalError(errors.New("watch with bookmarks: the storage was made without a function for new objects"))
	}
	ctx, cancel := context.WithCancel(ctx)
	w := r.newWatcher(ctx, cancel, newKeyRange(key, opts.Recursive, ""), opts)
	if err := r.start(w, int64(from), opts); err != nil {
		cancel()
		return endedWatch(err), nil
	}
	go w.run(ctx)
	return w, nil
}

func (r *resourceStore) newWatcher(ctx context.Context, cancel context.CancelFunc, keys keyRange, opts storage.ListOptions) *watcher {
	w := &watcher{
		resource:  r,
		keys:      keys,
		predicate: opts.Predicate,
		progress:  opts.ProgressNotify,
		results:   make(chan watch.Event, resultBuffer),
		wake:      make(chan struct{}, 1),
		cancel:    cancel,
	}
	switch options := r.store.options; {
	case opts.ProgressNotify:
		w.interval = options.ProgressInterval
	case opts.Predicate.AllowWatchBookmarks:
		w.interval = options.BookmarkInterval
		w.deadline, _ = ctx.Deadline()
	}
	return w
}

// errEnded reports that a watch ends as it begins, because the resource is no longer served.
var errEnded = errors.New("the storage is closed")

// start registers a watcher and decides where it begins: with the present state, after a
// revision, or now.
func (r *resourceStore) start(w *watcher, from int64, opts storage.ListOptions) error {
	initial := opts.SendInitialEvents
	if !utilfeature.DefaultFeatureGate.Enabled(features.WatchList) {
		initial = nil
	}
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || r.destroyed.Load() {
		return errEnded
	}
	switch {
	case initial != nil && *initial, initial == nil && from == 0:
		if from > s.revision {
			//nolint:gosec // revisions are positive
			return storage.NewTooLargeResourceVersionError(uint64(from), uint64(s.revision), retryAfterSeconds)
		}
		s.ascend(w.keys, func(rec *record) bool {
			w.initial = append(w.initial, rec)
			return true
		})
		w.initialEnd = initial != nil && opts.Predicate.AllowWatchBookmarks
		w.revision = s.revision
	case from > 0:
		if oldest := max(r.history.compacted, r.opened); from < oldest {
			return errTooOld(from, oldest)
		}
		w.revision = from
	default:
		w.revision = s.revision
	}
	r.watches.Add(1)
	r.history.watchers[w] = struct{}{}
	return nil
}

// RequestWatchProgress implements storage.Interface: all watches that asked for progress
// notification get a bookmark as soon as they have sent all events so far.
func (r *resourceStore) RequestWatchProgress(context.Context) error {
	r.store.mu.RLock()
	defer r.store.mu.RUnlock()
	for w := range r.history.watchers {
		if w.progress {
			w.progressRequested.Store(true)
			w.notify()
		}
	}
	return nil
}

// endedWatch returns a watch that ends with an error, or as a watch does whose resource is
// no longer served.
func endedWatch(err error) watch.Interface {
	w := &watcher{results: make(chan watch.Event, 1), cancel: func() {}}
	if !errors.Is(err, errEnded) {
		w.results <- errorEvent(err)
	}
	close(w.results)
	return w
}

func errorEvent(err error) watch.Event {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	object := status.Status()
	object.TypeMeta = metav1.TypeMeta{}
	return watch.Event{Type: watch.Error, Object: &object}
}
