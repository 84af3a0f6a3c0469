// Package worker runs one Pod: each container is a process of this machine.
package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/pods/volume"
)

// Config is the node as far as its Pods need it. All functions are safe for concurrent use.
type Config struct {
	Sources volume.Sources
	// Drivers make the inline volumes of CSI.
	Drivers csi.Drivers
	Images  image.Images
	// Dir has a directory for each Pod.
	Dir string
	// Environment are the variables of all containers, as NAME=VALUE, beside those that a worker sets.
	Environment []string
	// Server is the address of the API server, for containers with a token.
	Server Server
	// Notify receives a Pod with a new status. It may block.
	Notify func(*corev1.Pod)
	// Event writes an Event about a Pod.
	Event func(pod *corev1.Pod, eventType, reason, message string)
	// NewRun returns the record of a run of a process.
	NewRun func(component string, number int) Run
	// BackOff is the first pause before a restart, and MaxBackOff the longest; 0 means a kubelet's.
	BackOff, MaxBackOff time.Duration
}

// Server is the address of the API server.
type Server struct{ URL, Host, Port string }

// Run records the life of a process.
type Run interface {
	// Begin records its start. An error prevents the start.
	Begin(ctx context.Context) error
	// Record records a later step, with a text about it.
	Record(step, text string)
}

// Worker runs a Pod until the Pod has finished, or Terminate.
type Worker struct {
	config Config
	dir    string

	cancel  context.CancelCauseFunc
	stop    chan struct{} // closed when the node stops
	once    sync.Once     // closes stop
	done    chan struct{}
	changes *broadcast

	reporting sync.Mutex // held during a change and its report, so that reports keep their order

	mu          sync.Mutex
	pod         *corev1.Pod // as the API server has it, except for its status
	volumes     *volume.Volumes
	initial     []*container
	containers  []*container
	initialized bool
	mounted     bool
	finished    bool
	reason      string // of a Pod that failed as a whole
	message     string
	grace       time.Duration // for the end of processes
	status      corev1.PodStatus
	programs    int // started so far
}

// errTerminated is the cause when a Pod is deleted, and errStopped when its node stops.
var (
	errTerminated = errors.New("the Pod is deleted")
	errStopped    = errors.New("the node stops")
	errDeadline   = errors.New("Pod was active on the node longer than the specified deadline")
)

// Start starts a Pod.
func Start(config Config, pod *corev1.Pod) *Worker {
	w := &Worker{
		config: config, dir: filepath.Join(config.Dir, string(pod.UID)), changes: newBroadcast(),
		stop: make(chan struct{}), done: make(chan struct{}),
		pod: pod, status: pod.Status, grace: graceOf(pod),
	}
	w.volumes = volume.New(config.Sources, config.Drivers, pod, filepath.Join(w.dir, "volumes"))
	w.addContainers()
	ctx, cancel := context.WithCancelCause(context.Background())
	w.cancel = cancel
	go func() {
		defer close(w.done)
		w.run(ctx)
	}()
	return w
}

// Update replaces the Pod, whose metadata or image may have changed.
func (w *Worker) Update(pod *corev1.Pod) {
	w.mu.Lock()
	w.pod = pod
	w.mu.Unlock()
	w.changes.notify()
}

// Wake makes the Pod look again at the objects that it refers to.
func (w *Worker) Wake() { w.changes.notify() }

// Terminate ends the Pod within a grace period, and returns at once. A shorter period replaces a longer one.
func (w *Worker) Terminate(grace time.Duration) {
	w.mu.Lock()
	w.grace = grace
	w.mu.Unlock()
	w.cancel(errTerminated)
	w.changes.notify()
}

// Stop kills the processes of the Pod, and waits for their ends. The status of the Pod stays.
func (w *Worker) Stop() {
	w.mu.Lock()
	w.grace = 0
	w.mu.Unlock()
	w.cancel(errStopped)
	w.once.Do(func() { close(w.stop) })
	w.changes.notify()
	<-w.done
}

// Remove removes the logs of a Pod that has ended.
func (w *Worker) Remove() error { return os.RemoveAll(w.dir) }

// Done is closed when the Pod has ended.
func (w *Worker) Done() <-chan struct{} { return w.done }

// Pod returns the Pod with its status. The caller must not change it.
func (w *Worker) Pod() *corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.withStatus()
}

// get returns the Pod as the API server has it.
func (w *Worker) get() *corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pod
}

// change changes the worker's state, and reports the Pod's new status.
func (w *Worker) change(f func()) {
	w.reporting.Lock()
	defer w.reporting.Unlock()
	w.mu.Lock()
	f()
	pod := w.withStatus()
	w.mu.Unlock()
	w.config.Notify(pod)
}

func (w *Worker) event(eventType, reason, message string) {
	w.config.Event(w.get(), eventType, reason, message)
}

// broadcast tells all that wait about a change.
type broadcast struct {
	mu sync.Mutex
	c  chan struct{}
}

func newBroadcast() *broadcast { return &broadcast{c: make(chan struct{})} }

// next returns a channel that the next change closes.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.c
}

func (b *broadcast) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.c)
	b.c = make(chan struct{})
}
