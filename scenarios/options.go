package scenarios

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Option selects where scenarios run. The default is an emulator with its fake driver.
type Option func(*ground)

// ground is where scenarios run. Tests with equal grounds share an emulator.
type ground struct {
	api            objectstorage.Version
	endpoint       string
	assumeExisting bool
	inProcess      *inProcess
	emulator       *emulator.Emulator
	allowExec      bool
	patience       int
}

// Driver runs the scenarios on a running driver, at an endpoint of the form unix:///path. It has no
// store, so scenarios with `backend` steps, and those with fake drivers of their own, are skipped.
func Driver(endpoint string) Option {
	return func(g *ground) { g.endpoint = endpoint }
}

// AssumeExisting makes the bridge in front of a driver of COSI v1alpha1 use existing buckets
// without a check, because such a driver cannot look them up. It requires Driver.
func AssumeExisting() Option {
	return func(g *ground) { g.assumeExisting = true }
}

// InProcess runs the scenarios on a driver in the test binary itself. It is served over gRPC while
// it is needed, at a socket that only the user can open. Otherwise it is like Driver. Tests share
// an emulator if they have the same Option; the same servers are not enough.
func InProcess(identity cosiv1alpha2.IdentityServer, provisioner cosiv1alpha2.ProvisionerServer) Option {
	driver := &inProcess{identity: identity, provisioner: provisioner}
	return func(g *ground) { g.inProcess = driver }
}

// On runs the scenarios on an emulator that the caller has started, for example with
// emulatortest.Start, and stops when the tests have ended. A test with such an emulator needs this
// option: otherwise its scenarios would wait for the emulator to stop.
func On(emu *emulator.Emulator) Option {
	return func(g *ground) { g.emulator = emu }
}

// AllowExec lets scenarios run programs with `exec`. Otherwise such scenarios are skipped.
func AllowExec() Option {
	return func(g *ground) { g.allowExec = true }
}

// Patience multiplies the timeouts of all steps, for slow or busy machines, or for the race
// detector.
func Patience(times int) Option {
	return func(g *ground) { g.patience = times }
}
