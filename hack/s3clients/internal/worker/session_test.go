package worker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

// asWorker makes this test binary the worker of its own test.
const asWorker = "S3CLIENTS_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) == "" {
		os.Exit(m.Run())
	}
	operations := Operations{
		"works":  func(context.Context) error { return nil },
		"fails":  func(context.Context) error { return errors.New("line\nbreak") },
		"absent": func(context.Context) error { return client.ErrNone },
		"panics": func(context.Context) error { panic("oh") },
		"hangs":  func(context.Context) error { select {} },
		"ends":   func(context.Context) error { os.Exit(1); return nil },
	}
	if err := Serve(context.Background(), os.Stdin, os.Stdout, operations); err != nil {
		os.Exit(1)
	}
}

// TestSession has one session go through everything that a worker can do to it.
func TestSession(t *testing.T) {
	s := &Session{Command: func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // this test
		cmd.Env = append(os.Environ(), asWorker+"=1")
		return cmd
	}}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	tests := []struct {
		operation operation.ID
		reason    string
		want      string
		is        error
	}{
		{operation: "works", reason: "The first one starts the worker."},
		{operation: "fails", reason: "An error is what the worker says.", want: "line\nbreak"},
		{operation: "absent", reason: "The operation says so.", is: client.ErrNone},
		{operation: "unknown", reason: "The worker has never heard of it.", is: client.ErrNone},
		{operation: "panics", reason: "The worker lives on.", want: "panic: oh"},
		{operation: "works", reason: "It does."},
		{operation: "hangs", reason: "The worker is killed.", is: context.DeadlineExceeded},
		{operation: "works", reason: "Another one is started."},
		{operation: "ends", reason: "The worker has gone.", want: "the worker has ended"},
		{operation: "works", reason: "Another one is started."},
	}
	for _, tc := range tests {
		limit := time.Minute
		if tc.is == context.DeadlineExceeded { //nolint:errorlint // this is no error that came from somewhere
			limit = 100 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		err := s.Run(ctx, tc.operation)
		cancel()
		switch {
		case tc.is != nil && !errors.Is(err, tc.is), tc.is == nil && (err == nil) != (tc.want == ""),
			tc.want != "" && !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s\nRun(%s): error %v, want %q %v", tc.reason, tc.operation, err, tc.want, tc.is)
		}
	}
}
