package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// exec runs a program with KUBECONFIG and the scenario's namespace in its environment.
func (r *run) exec(ctx context.Context, s *spec.Step) (any, error) {
	if !r.engine.options.AllowExec {
		return nil, errors.New("the scenario runs a program: allow it with --allow-exec")
	}
	command := make([]string, 0, len(s.Exec.Command))
	for _, text := range s.Exec.Command {
		word, err := r.variables.Text(ctx, text)
		if err != nil {
			return nil, err
		}
		command = append(command, word)
	}
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.Env = append(os.Environ(), "KUBECONFIG="+r.engine.emulator.Info().Kubeconfig, "NAMESPACE="+r.namespace)
	for name, text := range s.Exec.Env {
		value, err := r.variables.Text(ctx, text)
		if err != nil {
			return nil, err
		}
		program.Env = append(program.Env, name+"="+value)
	}
	var stdout, stderr strings.Builder
	program.Stdout, program.Stderr = &stdout, &stderr
	err := program.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return nil, err
	} else if ok && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if code := program.ProcessState.ExitCode(); code != s.Exec.Code {
		return nil, &outcome.Failure{
			Message: fmt.Sprintf("%s exited with code %d, want %d: %v %s", command[0], code, s.Exec.Code, exit, stderr.String()),
		}
	}
	return r.printed(ctx, s.Exec, strings.TrimSuffix(stdout.String(), "\n"))
}

func (r *run) printed(ctx context.Context, asked *spec.Exec, stdout string) (any, error) {
	if asked.Stdout == nil {
		return stdout, nil
	}
	differences, err := match.Match(*asked.Stdout, stdout, r.variables.Now(ctx))
	if err != nil {
		return nil, err
	}
	if len(differences) > 0 {
		return nil, &outcome.Failure{Message: "unexpected program output", Differences: differences}
	}
	return stdout, nil
}
