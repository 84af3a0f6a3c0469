package scenarios

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Option says what scenarios run on. Without any, it is an emulator with its fake
// driver.
type Option func(*ground)

// ground is what scenarios run on. Tests with an equal one share an emulator.
type ground struct {
	api            objectstorage.Version
	endpoint       string
	assumeExisting bool
	inProcess      *inProcess
	emulator       *emulator.Emulator
	allowExec      bool
	patience       int
}

// Driver runs the scenarios on a driver that is already running, at an
// endpoint of the form unix:///path. There is no store then: scenarios with
// `backend` steps, and those with fake drivers of their own, are skipped.
func Driver(endpoint string) Option {
	return func(g *ground) { g.endpoint = endpoint }
}

// AssumeExisting has the bridge in front of a driver of COSI v1alpha1 use existing buckets without a
// check, because such a driver cannot look them up. It goes with Driver.
func AssumeExisting() Option {
	return func(g *ground) { g.assumeExisting = true }
}

// InProcess has the scenarios run on a driver in the test binary itself. It is
// served over gRPC while it is needed, at a socket that only the user can open.
// The rest is as with Driver. Tests share an emulator if they are given the same
// Option, not only the same servers.
func InProcess(identity cosiv1alpha2.IdentityServer, provisioner cosiv1alpha2.ProvisionerServer) Option {
	driver := &inProcess{identity: identity, provisioner: provisioner}
	return func(g *ground) { g.inProcess = driver }
}

// On has the scenarios run on an emulator that the caller has started, for example
// with emulatortest.Start, and stops when the tests have ended. A test that has one
// must say so: otherwise its scenarios would wait for it to stop.
func On(emu *emulator.Emulator) Option {
	return func(g *ground) { g.emulator = emu }
}

// AllowExec lets scenarios run programs with `exec`. Those that do are skipped
// otherwise.
func AllowExec() Option {
	return func(g *ground) { g.allowExec = true }
}

// Patience multiplies the timeouts of all steps, for machines that are slow or busy,
// as with the race detector.
func Patience(times int) Option {
	return func(g *ground) { g.patience = times }
}
