package emulator

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/driveraccount"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

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
	granted, err := driveraccount.RightsOf(e.opts.Implementations.DriverRBAC)
	if err != nil {
		return err
	}
	cfg, err := e.userOf(ctx, granted.Account)
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
