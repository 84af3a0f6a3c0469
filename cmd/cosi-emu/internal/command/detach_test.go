package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// newChild returns the child that this process would be.
func newChild(t *testing.T) *child {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	transcript, err := os.Create(filepath.Join(t.TempDir(), "transcript"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = transcript.Close() })
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return &child{process: self, ended: make(chan error, 1), transcript: transcript}
}

func (c *child) say(t *testing.T, text string) {
	t.Helper()
	if _, err := c.transcript.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// speaker writes when it is asked whether it has written.
type speaker struct {
	strings.Builder
	onWrite func()
}

func (s *speaker) Write(data []byte) (int, error) {
	n, err := s.Builder.Write(data)
	if s.onWrite != nil {
		s.onWrite()
	}
	return n, err
}

// TestWaitReady makes the child become ready while its first line is relayed: later lines must not
// be lost.
func TestWaitReady(t *testing.T) {
	c := newChild(t)
	place, err := instance.Acquire("one", func(string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer place.Release() //nolint:errcheck // the state directory is temporary
	c.say(t, "first\n")
	relay := &speaker{}
	relay.onWrite = func() {
		relay.onWrite = nil
		c.say(t, "last\n")
		if err := place.Publish(instance.Info{PID: os.Getpid(), Ready: true}); err != nil {
			t.Error(err)
		}
	}
	info, err := c.waitReady(t.Context(), "one", relay)
	if err != nil || !info.Ready {
		t.Fatalf("waitReady() = %v, %v", info, err)
	}
	if got := relay.String(); got != "first\nlast\n" {
		t.Errorf("relayed %q", got)
	}
}

func TestWaitReadyChildFails(t *testing.T) {
	c := newChild(t)
	c.say(t, "Error: no such disk\n")
	c.ended <- exec.CommandContext(t.Context(), "/bin/sh", "-c", "exit 3").Run()
	var relay strings.Builder
	_, err := c.waitReady(t.Context(), "one", &relay)
	if exit, ok := errors.AsType[cli.ExitError](err); !ok || exit != 3 {
		t.Errorf("waitReady() = %v, want exit code 3", err)
	}
	if got := relay.String(); got != "Error: no such disk\n" {
		t.Errorf("relayed %q", got)
	}
}

func TestWaitReadyInterrupted(t *testing.T) {
	c := newChild(t)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "trap 'echo stopped; exit 1' TERM; echo ready; while :; do sleep 0.01; done")
	cmd.Stdout = c.transcript
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.process = cmd.Process
	go func() { c.ended <- cmd.Wait() }()
	ctx, cancel := context.WithCancel(t.Context())
	relay := &speaker{onWrite: cancel} // as soon as it reports that it is ready
	_, err := c.waitReady(ctx, "one", relay)
	if exit, ok := errors.AsType[cli.ExitError](err); !ok || exit != 1 {
		t.Errorf("waitReady() = %v, want exit code 1", err)
	}
	if got := relay.String(); got != "ready\nstopped\n" {
		t.Errorf("relayed %q", got)
	}
}
