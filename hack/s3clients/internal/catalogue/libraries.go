package catalogue

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/awsgo"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/miniogo"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

// Worker is the first argument that makes this program a worker, which tries the
// library that the second one names.
const Worker = "worker"

// goLibrary is a library that this program was built with.
type goLibrary struct {
	module     string
	operations func(context.Context) (worker.Operations, error)
}

var libraries = map[string]goLibrary{
	"aws-sdk-go-v2": {awsgo.Module, awsgo.Operations},
	"minio-go":      {miniogo.Module, miniogo.Operations},
}

// Serve makes this process a worker for a library.
func Serve(ctx context.Context, name string) error {
	lib, ok := libraries[name]
	if !ok {
		return fmt.Errorf("there is no library %q", name)
	}
	operations, err := lib.operations(ctx)
	if err != nil {
		return err
	}
	return worker.Serve(ctx, os.Stdin, os.Stdout, operations)
}

func library(name string) func(context.Context) ([]client.Client, error) {
	return func(context.Context) ([]client.Client, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		open := func(t client.Target) (client.Session, error) {
			env, err := t.EnvironProxy()
			if err != nil {
				return nil, err
			}
			return &worker.Session{Command: func(ctx context.Context) *exec.Cmd {
				cmd := exec.CommandContext(ctx, self, Worker, name)
				cmd.Env, cmd.Dir = env, t.Dir
				return cmd
			}}, nil
		}
		return []client.Client{{Name: name, Version: version(libraries[name].module), Open: open}}, nil
	}
}

// version returns which version of a module this program was built with.
func version(module string) string {
	build, _ := debug.ReadBuildInfo()
	if build != nil {
		for _, m := range build.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return "of unknown version"
}
