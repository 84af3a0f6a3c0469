package emulator

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
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
	var who driverIdentity
	options := subprocess.DriverOptions{
		Args: e.opts.Implementations.DriverCommand, Env: e.opts.Implementations.DriverEnv, Dir: run,
		Socket: cmp.Or(e.opts.Driver, "unix://"+filepath.Join(run, ComponentDriver, "cosi.sock")), Endpoint: endpoint,
		ConnectTimeout: e.opts.ConnectTimeout, Redact: e.redactText, Identify: e.sameDriver(&who),
		Messages: func(method string) (request, response proto.Message) { return who.dialect.Messages(method) },
	}
	cfg, err := e.driverUser(ctx)
	if err != nil {
		return err
	}
	err = e.startSupervised(ctx, ComponentDriver, func(_ context.Context, i *seam.Incarnation) (Runner, error) {
		own := options
		own.Config, own.DialOptions, own.Logger = i.RESTConfig(cfg), i.RelayOptions(), e.logger(i)
		own.Variables = e.driverVariables()
		own.Variables[subprocess.VariableStateDir] = state
		return subprocess.NewDriver(own) //nolint:contextcheck // the process outlives the start
	})
	if err != nil {
		return err
	}
	return e.useDriver(ctx, endpoint, who.dialect)
}

// sameDriver returns a function that rejects a driver whose identity differs from the first, which
// it stores. Objects refer to the driver's name, and each generation of the protocol has its own
// IDs.
func (e *Emulator) sameDriver(first *driverIdentity) func(context.Context, string) error {
	return func(ctx context.Context, endpoint string) error { // incarnations start one after another
		now, err := e.askDriver(ctx, endpoint, e.opts.Dialect)
		switch {
		case err != nil:
			return err
		case *first == driverIdentity{}:
			*first = now
		case first.version != now.version:
			return fmt.Errorf("the driver spoke COSI %s before and speaks %s now: its IDs of the other generation would be lost; "+
				"run one that speaks %s, or start another emulator", first.version, now.version, first.version)
		case first.dialect != now.dialect:
			return fmt.Errorf("the driver spoke %s before and speaks %s now; start another emulator",
				first.dialect.Protocol(), now.dialect.Protocol())
		case first.name != now.name:
			return fmt.Errorf("the driver called itself %q before and %q now: objects refer to it by its name; start another emulator",
				first.name, now.name)
		}
		return nil
	}
}

// redactText removes the known secret values from a text.
func (e *Emulator) redactText(text string) string {
	redacted, _ := e.journal.Redact(text)
	return redacted
}
