package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// Exit codes of the program.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitUsage   = 2
	// ExitEnvironment means that a run could not start or finish. It is no result about COSI.
	ExitEnvironment = 3
)

// ExitError ends the program with a code, after the message has been printed.
type ExitError int

// Error implements error.
func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// Usage marks an error of the command line, which exits with ExitUsage.
func Usage(err error) error { return usageError{err} }

// IsUsage returns whether an error is about the command line.
func IsUsage(err error) bool {
	_, usage := errors.AsType[usageError](err)
	return usage || errors.Is(err, description.ErrOptions) || errors.Is(err, instance.ErrName) ||
		errors.Is(err, existingcluster.ErrKubeconfig)
}

// Code returns the exit code for the error of a command, and prints the error unless
// its message has already been printed.
func Code(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	if exit, ok := errors.AsType[ExitError](err); ok {
		return int(exit)
	}
	PrintError(w, err)
	if IsUsage(err) {
		return ExitUsage
	}
	return ExitFailure
}

// PrintError prints an error, and the last log lines of a component that has exited.
func PrintError(w io.Writer, err error) {
	_, _ = fmt.Fprintf(w, "Error: %v\n", err)
	failure, ok := errors.AsType[*controlplane.ComponentError](err)
	if !ok || len(failure.LogTail) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "The last lines of its log:\n")
	for _, line := range failure.LogTail {
		_, _ = fmt.Fprintf(w, "    %s\n", line)
	}
}
