package scenarios_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// recorder is a test that may fail. Its subtests run one after another, in their own goroutines, so
// that FailNow can exit them.
type recorder struct {
	name string

	mu       sync.Mutex
	logged   strings.Builder
	failed   bool
	skipped  bool
	cleanups []func()
	children []*recorder
}

func (r *recorder) Name() string             { return r.name }
func (r *recorder) Helper()                  {}
func (r *recorder) Parallel()                {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.logged, format+"\n", args...)
}

func (r *recorder) Errorf(format string, args ...any) {
	r.Logf(format, args...)
	r.failed = true
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) {
	r.Logf("%s", fmt.Sprint(args...))
	r.skipped = true
	runtime.Goexit()
}

func (r *recorder) Run(name string, f func(*recorder)) bool {
	child := record(r.name+"/"+name, f)
	r.children = append(r.children, child)
	r.failed = r.failed || child.failed
	return !child.failed
}

// record runs a test to its end, clean-up included.
func record(name string, f func(*recorder)) *recorder {
	r := &recorder{name: name}
	var running sync.WaitGroup
	running.Go(func() { f(r) })
	running.Wait()
	for i := range r.cleanups {
		r.cleanups[len(r.cleanups)-1-i]()
	}
	return r
}

// outcomes are the outcomes of the subtests, in their order.
func (r *recorder) outcomes() []string {
	var all []string
	for _, child := range r.children {
		outcome := "passed"
		switch {
		case child.failed:
			outcome = "failed"
		case child.skipped:
			outcome = "skipped"
		}
		all = append(all, child.name+" "+outcome)
	}
	return all
}
