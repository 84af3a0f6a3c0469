// Package boto3 does the operations with boto3, in a worker written in Python.
package boto3

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

//go:embed worker.py
var script []byte

// Open begins a session with a Python that has boto3.
func Open(python string, t client.Target) (client.Session, error) {
	env, err := t.EnvironPython()
	if err != nil {
		return nil, err
	}
	// It would try again for long what is to be rejected.
	env = append(env, "AWS_MAX_ATTEMPTS=2")
	file := filepath.Join(t.Dir, "worker.py")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return nil, err
	}
	return &worker.Session{Command: func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, python, file)
		cmd.Env, cmd.Dir = env, t.Dir
		return cmd
	}}, nil
}
