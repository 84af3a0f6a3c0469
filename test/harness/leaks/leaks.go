// Package leaks finds goroutines that a test has started and not ended.
package leaks

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// timeout is how long goroutines have to end. goleak itself waits for half a second
// at most, and a busy machine needs longer. Only a test that fails waits that long.
const timeout = time.Minute

// Find returns an error with the goroutines that are left after half a second, but those in the
// options, those of a control plane in this process, and those that controller-runtime does not end.
func Find(options ...goleak.Option) error {
	return goleak.Find(slices.Concat(controlPlane(), upstream(), options)...)
}

// controlPlane returns options that ignore the goroutines by which a control plane
// in this process serves other tests, if there is one.
func controlPlane() []goleak.Option {
	if !strings.Contains(stacks(), embedded+".(*ControlPlane).listen") {
		return nil
	}
	return []goleak.Option{
		goleak.IgnoreAnyFunction(plane + "memstore.(*Store).expireRecords"),
		// Its controllers watch anew every few minutes. A client whose watch is left is found by its own goroutine.
		goleak.IgnoreAnyFunction(plane + "memstore.(*watcher).run"),
		goleak.IgnoreAnyFunction(embedded + "/apiserver.(*exchange).serve"),
		// A client that keeps its connection has the server keep it.
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
		goleak.IgnoreAnyFunction("net/http.(*http2serverConn).readFrames"),
		goleak.IgnoreAnyFunction("net/http.(*http2serverConn).runHandler"),
		// The informers of its controllers start these late, or again. The goroutine that has
		// started them is found if the informer is another.
		goleak.IgnoreTopFunction(informer + "(*processorListener).run"),
		goleak.IgnoreTopFunction(informer + "(*processorListener).pop"),
		goleak.IgnoreTopFunction(informer + "(*Reflector).startResync"),
		goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"),
		// So does a watch that begins anew. A component that leaks a context leaks who waits for it, too.
		goleak.IgnoreTopFunction("context.(*cancelCtx).propagateCancel.func2"),
	}
}

const (
	plane    = "github.com/cosi-emu/cosi-emu/internal/controlplane/"
	embedded = plane + "embedded"
	informer = "k8s.io/client-go/tools/cache."
)

// stacks returns the stacks of all goroutines.
func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		buffer := make([]byte, size)
		if n := runtime.Stack(buffer, true); n < size {
			return string(buffer[:n])
		}
	}
}

// Check is Find with a minute's patience. It fails the test and lists the goroutines.
func Check(tb testing.TB, options ...goleak.Option) {
	tb.Helper()
	if err := wait(func() error { return Find(options...) }); err != nil {
		tb.Errorf("goroutines are left: %v", err)
	}
}

// Main runs the tests of a binary, as TestMain. It fails if goroutines are left a
// minute after tests that passed.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := wait(func() error { return goleak.Find(upstream()...) }); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// upstream returns the goroutines that controller-runtime does not end: a cache of named
// namespaces that is stopped before it has synced keeps one for each informer and one for
// each handler.
func upstream() []goleak.Option {
	const cache = "sigs.k8s.io/controller-runtime/pkg/cache."
	return []goleak.Option{
		goleak.IgnoreTopFunction(cache + "newMultiNamespaceInformer.func1"),
		goleak.IgnoreTopFunction(cache + "newMultiNamespaceInformerHandlerRegistration.func1"),
	}
}

func wait(find func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := find() // waits between its attempts
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
