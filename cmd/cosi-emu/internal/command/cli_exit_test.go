package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// TestPrintError guards a function of package cli, whose own test binary would link the API server again.
func TestPrintError(t *testing.T) {
	errDisk := errors.New("no such disk")
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"Plain": {errDisk, "Error: no such disk\n"},
		"Start": {
			fmt.Errorf("up: %w", &emulator.StartError{Phase: "etcd", Err: errDisk, Log: []string{"one", "two"}}),
			"Error: up: etcd: no such disk\nThe last lines of its log:\n    one\n    two\n",
		},
		"NoLog": {&emulator.StartError{Phase: "etcd", Err: errDisk}, "Error: etcd: no such disk\n"},
		"Component": {
			&controlplane.ComponentError{Failure: controlplane.Failure{Component: "etcd", Err: errDisk, LogTail: []string{"one"}}},
			"Error: etcd ended unexpectedly: no such disk\nThe last lines of its log:\n    one\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			cli.PrintError(&out, tc.err)
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
