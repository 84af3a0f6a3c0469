package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

// killDelay is the time for the command to exit after a signal.
const killDelay = 10 * time.Second

type execution struct {
	start  startup.Flags
	access access
	files  []string
}

func newExec(streams cli.Streams) *cobra.Command {
	e := &execution{}
	cmd := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG...]",
		Short: "Run a command with an emulator of its own",
		Long: `Start an emulator, run a command with the variables of 'cosi-emu env', and stop the
emulator. The exit code is the command's.

--apply applies manifests before the command runs. --access waits for the
credentials of a BucketAccess and adds them to the environment. --map gives a variable
the name that the command reads.

The environment has COSI_EMU_NAME, so that commands of cosi-emu use this emulator.`,
		Example: `  cosi-emu exec -- go test ./...
  cosi-emu exec --apply examples/quickstart.yaml --access demo/photos-rw -- ./my-app
  cosi-emu exec --apply examples/quickstart.yaml --access demo/photos-rw \
    --map S3_BUCKET=BUCKET_NAME -- ./my-app

  # With S3 alone: BUCKET_NAME is the bucket, and AWS_ACCESS_KEY_ID the root key.
  cosi-emu exec --only s3 --bucket photos -- go test ./...`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a command is required after --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), streams, args) },
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&e.start.Session.Name, "name", "exec-"+strconv.Itoa(os.Getpid()),
		"name of the emulator, which COSI_EMU_NAME does not set (default: a unique one)")
	cmd.Flags().Lookup("name").DefValue = "" // a new name each time
	e.start.Add(cmd.Flags())
	e.access.addFlags(cmd.Flags())
	cmd.Flags().StringArrayVar(&e.files, "apply", nil, "manifest to apply before the command runs; can be repeated")
	return cmd
}

func (e *execution) run(ctx context.Context, streams cli.Streams, args []string) error {
	// A wrong command line is rejected before anything starts.
	program, err := exec.LookPath(args[0])
	if err != nil {
		return cli.Usage(fmt.Errorf("command: %w", err))
	}
	if err := e.access.validate(); err != nil {
		return err
	}
	if err := errors.Join(e.start.ValidateOnly(), e.start.ValidateAssume()); err != nil {
		return err
	}
	manifests, err := readManifests(e.files)
	if err != nil {
		return err
	}
	return e.start.Run(ctx, streams, func(running *session.Session) error {
		for _, m := range manifests {
			if err := manifest.Apply(ctx, running.Emulator().Client(), m.objects); err != nil {
				return fmt.Errorf("--apply %s: %w", m.file, err)
			}
		}
		variables, err := e.environment(ctx, streams, running)
		if err != nil {
			return err
		}
		return runCommand(ctx, streams, program, args, variables)
	})
}

// manifests are the objects of a file.
type manifests struct {
	file    string
	objects []*unstructured.Unstructured
}

func readManifests(files []string) ([]manifests, error) {
	all := make([]manifests, len(files))
	for i, file := range files {
		objects, err := manifest.Read(file)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--apply: %w", err))
		}
		all[i] = manifests{file: file, objects: objects}
	}
	return all, nil
}

func (e *execution) environment(ctx context.Context, streams cli.Streams, running *session.Session) ([]env.Variable, error) {
	variables := env.ForEmulator(running.Info().Name, running.Info().Info)
	key, wanted, err := e.access.key()
	if err != nil {
		return nil, err
	}
	if info := running.Info(); info.StoreOnly {
		more, err := storeVariables(info, e.start.Buckets())
		if err != nil {
			return nil, err
		}
		return e.access.mapped(append(variables, more...))
	}
	if !wanted {
		return e.access.mapped(variables)
	}
	more, err := waitAccess(ctx, streams, running.Emulator().Client(), running.Info(), key, e.access.claim)
	if err != nil {
		return nil, err
	}
	return e.access.mapped(append(variables, more...))
}

// storeVariables returns the variables of the first bucket, or of the root key without one.
func storeVariables(info instance.Info, buckets []fakedriver.BucketSpec) ([]env.Variable, error) {
	if len(buckets) == 0 {
		return env.ForRootKey(info.Info)
	}
	return env.ForBucket(info.Info, buckets[0])
}

func runCommand(ctx context.Context, streams cli.Streams, program string, args []string, variables []env.Variable) error {
	cmd := exec.CommandContext(ctx, program, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.In, streams.Out, streams.Err
	cmd.Env = os.Environ()
	for _, v := range variables {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = killDelay
	err := cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		if err != nil {
			err = fmt.Errorf("run %s: %w", program, err)
		}
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return cli.ExitError(128 + int(status.Signal())) // the exit code of a shell
	}
	return cli.ExitError(exit.ExitCode())
}
