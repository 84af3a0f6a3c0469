package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
)

// maxMessage is the size of a termination message, and maxMessageLines the number of log lines in it.
const (
	maxMessage      = 4096
	maxMessageLines = 80
	maxLogMessage   = 2048
)

// message returns the termination message of a process: its file, or the end of its log if its container wants that.
func (p *process) message(failed bool) string {
	if data, err := os.ReadFile(p.command.message); err == nil && len(data) > 0 {
		return string(data[:min(len(data), maxMessage)])
	}
	if !failed || p.container.spec().TerminationMessagePolicy != corev1.TerminationMessageFallbackToLogsOnError {
		return ""
	}
	var out bytes.Buffer
	if err := p.log.Read(context.Background(), &corev1.PodLogOptions{TailLines: new(int64(maxMessageLines))}, &out); err != nil {
		return err.Error()
	}
	text := out.Bytes()
	return string(text[max(0, len(text)-maxLogMessage):])
}

// postStart runs the hook after the start. If the hook fails, the container is killed.
func (p *process) postStart(ctx context.Context, handler *corev1.LifecycleHandler) {
	if err := p.handle(ctx, handler); err != nil && ctx.Err() == nil {
		p.container.worker.event(corev1.EventTypeWarning, "FailedPostStartHook", "PostStartHook failed: "+err.Error())
		p.container.worker.endProcess(p, graceOf(p.container.worker.get())) //nolint:contextcheck // it ends by the grace period
	}
}

// graceOf is the grace period of a Pod.
func graceOf(pod *corev1.Pod) time.Duration {
	if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

// handle runs a hook.
func (p *process) handle(ctx context.Context, handler *corev1.LifecycleHandler) error {
	switch {
	case handler.Exec != nil:
		return p.execute(ctx, handler.Exec.Command)
	case handler.HTTPGet != nil:
		return p.httpGet(ctx, handler.HTTPGet)
	case handler.Sleep != nil:
		timer := time.NewTimer(time.Duration(handler.Sleep.Seconds) * time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return ctx.Err()
	default:
		return errors.New("this node does not serve the handler: use exec, httpGet or sleep")
	}
}

// maxOutput is how much of a failed command's output an error has.
const maxOutput = 1024

// execute runs a command in the environment of the container.
func (p *process) execute(ctx context.Context, args []string) error {
	var out bytes.Buffer
	err := p.Exec(ctx, args, nil, &limited{&out}, &limited{&out})
	if err != nil && out.Len() > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	return err
}

// limited drops all output beyond maxOutput.
type limited struct{ buffer *bytes.Buffer }

// Write implements io.Writer.
func (l *limited) Write(data []byte) (int, error) {
	l.buffer.Write(data[:min(len(data), max(0, maxOutput-l.buffer.Len()))])
	return len(data), nil
}

// Exec runs a command in the environment and directory of the container until it ends, or ctx is done. The error of
// a command that fails is an *exec.ExitError.
func (p *process) Exec(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	variables := map[string]string{}
	for _, pair := range p.command.environment {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = value
	}
	words := make([]string, len(args))
	for i, word := range args {
		words[i] = p.command.root.Path(environment.Expand(word, variables))
	}
	cmd := p.command.exec(words)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, out, errs, outputDelay
	program, err := subprocess.StartProgram(cmd, p.container.worker.newMark()) //nolint:contextcheck // ctx ends it below
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = program.Signal(syscall.SIGKILL) }) // it may have ended by itself
	defer stop()
	exit, failed := program.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(exit, failed)
}
