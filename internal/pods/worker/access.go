package worker

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
)

// Log is the output of a run of a container.
type Log interface {
	Read(ctx context.Context, options *corev1.PodLogOptions, out io.Writer) error
}

// Exec runs a command beside a running container, in its environment and directory.
func (w *Worker) Exec(ctx context.Context, container string, args []string, in io.Reader, out, errs io.Writer) error {
	w.mu.Lock()
	var p *process
	for _, c := range w.all() {
		if c.name == container {
			p = c.process
		}
	}
	w.mu.Unlock()
	if p == nil {
		return fmt.Errorf("container %s of Pod %s does not run", container, w.get().Name)
	}
	return p.Exec(ctx, args, in, out, errs)
}
