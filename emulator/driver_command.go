package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/driveraccount"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// ErrDriverVersion is wrapped by the error of an external driver that speaks another version of
// the protocol than Options.API.
var ErrDriverVersion = driveridentity.ErrVersion

// driverPhases prepare the Kubernetes objects that a user's own driver needs, and run the driver if
// it is a command: it may read Kubernetes objects before it answers.
func (e *Emulator) driverPhases() []phase {
	if e.opts.fake() {
		return nil
	}
	phases := []phase{{name: "driver's rights", run: e.prepareDriverAccount}}
	if e.opts.Implementations.DriverCommand == nil {
		return phases
	}
	return append(phases, phase{name: ComponentDriver, run: e.startDriverCommand, log: e.logOf(ComponentDriver)})
}

// prepareDriverAccount creates the ServiceAccount of a user's own driver, and writes its files. An
// existing cluster gets the ServiceAccount only with Install.
func (e *Emulator) prepareDriverAccount(ctx context.Context) error {
	if err := driveraccount.CreateRights(ctx, e.createRights); err != nil {
		return err
	}
	account, err := driveraccount.Write(ctx, e.client, e.Config(), filepath.Join(e.info.Dir, "driver"))
	e.info.DriverServiceAccount, e.info.DriverVariables = account.Dir, account.Variables
	return err
}

func (e *Emulator) createRights(ctx context.Context, objects []*unstructured.Unstructured) (err error) {
	if e.cluster == nil {
		return manifest.Apply(ctx, e.client, objects)
	}
	if !e.opts.Install {
		return nil
	}
	for _, object := range objects {
		_, created := e.cluster.Create(ctx, object)
		err = errors.Join(err, created)
	}
	return err
}

// askDriver asks an external driver for its identity, and waits until the driver is ready. It asks
// for the dialect only if that is unknown.
func (e *Emulator) askDriver(ctx context.Context, endpoint string, known dialects.Dialect) (driveridentity.Identity, error) {
	return e.generation().ask(e.question(endpoint, known), ctx)
}

func (e *Emulator) question(endpoint string, known dialects.Dialect) driveridentity.Question {
	return driveridentity.Question{
		Endpoint: endpoint, Known: known, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout,
	}
}

// startDriverCommand runs the driver, and a bridge if it speaks v1alpha1. The sidecar and
// the bridge reach it across the rpc seam.
func (e *Emulator) startDriverCommand(ctx context.Context) error {
	run, err := filepath.Abs(filepath.Join(e.info.Dir, "run"))
	if err != nil {
		return err
	}
	state, err := filepath.Abs(filepath.Join(cmp.Or(e.opts.DataDir, run), ComponentDriver))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state, dirMode); err != nil {
		return fmt.Errorf("create the directory of the driver: %w", err)
	}
	endpoint := "unix://" + filepath.Join(run, "driver.sock")
	var who driveridentity.Restarted
	options := subprocess.DriverOptions{
		Args: e.opts.Implementations.DriverCommand, Env: e.opts.Implementations.DriverEnv, Dir: run,
		Socket: cmp.Or(e.opts.Driver, "unix://"+filepath.Join(run, ComponentDriver, "cosi.sock")), Endpoint: endpoint,
		ConnectTimeout: e.opts.ConnectTimeout, Redact: e.redactText, Identify: e.sameDriver(&who),
		Messages: func(method string) (request, response proto.Message) { return who.Get().Dialect.Messages(method) },
	}
	cfg, err := e.userOf(ctx, driveraccount.Name())
	if err != nil {
		return err
	}
	err = e.startSupervised(ctx, ComponentDriver, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		own := options
		own.Config, own.DialOptions, own.Logger = i.RESTConfig(cfg), i.RelayOptions(), e.logger(i)
		own.Variables = driveraccount.Account{Dir: e.info.DriverServiceAccount, Variables: e.info.DriverVariables}.ProcessVariables()
		own.Variables[subprocess.VariableStateDir] = state
		return subprocess.NewDriver(own) //nolint:contextcheck // the process outlives the start
	})
	if err != nil {
		return err
	}
	// The relay is not asked: questions would be calls at the seam.
	ask := func(context.Context) (dialects.Dialect, error) { return who.Get().Dialect, nil }
	if e.opts.Dialect != "" {
		ask = nil
	}
	return e.useDriver(ctx, endpoint, who.Get().Dialect, ask)
}

// sameDriver returns a function that asks a driver who it is, and rejects one that differs from the
// one before.
func (e *Emulator) sameDriver(who *driveridentity.Restarted) func(context.Context, string) error {
	return func(ctx context.Context, endpoint string) error {
		now, err := e.askDriver(ctx, endpoint, e.opts.Dialect)
		if err != nil {
			return err
		}
		return who.Set(now, e.bridged())
	}
}

// redactText removes the known secret values from a text.
func (e *Emulator) redactText(text string) string {
	redacted, _ := e.journal.Redact(text)
	return redacted
}
