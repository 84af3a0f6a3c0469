//go:build unix

package envtest

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

// stopped is a program whose stop returns an error.
type stopped struct {
	program

	err error
}

func (s stopped) stop() error { return s.err }

// TestStopEndedProgram stops programs that end between envtest's check and its signal.
func TestStopEndedProgram(t *testing.T) {
	errLate := errors.New("it has not stopped in time")
	for _, tc := range []struct {
		name      string
		err, want error
	}{
		{name: "it stops"},
		{name: "its process has ended", err: fmt.Errorf("unable to signal: %w", os.ErrProcessDone)},
		{name: "its process group has ended", err: fmt.Errorf("unable to signal: %w", syscall.ESRCH)},
		{name: "it does not stop", err: errLate, want: errLate},
	} {
		c := component{name: "etcd", program: stopped{err: tc.err}}
		if err := c.stopProgram(); !errors.Is(err, tc.want) {
			t.Errorf("%s: stopProgram() = %v, want %v", tc.name, err, tc.want)
		}
	}
}
