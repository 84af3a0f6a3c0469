package leaks

import (
	"testing"

	"go.uber.org/goleak"
)

// TestDeepStack: the runtime leaves out frames of a deep stack, and the goroutine is found all the same.
func TestDeepStack(t *testing.T) {
	others := goleak.IgnoreCurrent()
	reached, done, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var dive func(depth int)
	dive = func(depth int) {
		if depth > 0 {
			dive(depth - 1)
			return
		}
		close(reached)
		<-done
	}
	go func() {
		defer close(ended)
		dive(1000)
	}()
	<-reached
	if err := goleak.Find(others); err == nil {
		t.Error("the goroutine is not found")
	}
	close(done)
	<-ended
	Check(t, others)
}
