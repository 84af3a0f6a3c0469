// Package emulator runs all of COSI on one machine: a real kube-apiserver with
// etcd and a few controllers of the kube-controller-manager, the COSI controller
// and a sidecar under the rights that a cluster would give them, a fake driver,
// and the S3 store behind it.
//
//	emu, err := emulator.Start(ctx, emulator.Options{})
//	if err != nil {
//		return err
//	}
//	defer emu.Stop(ctx)
//
// Tests are better off with package emulatortest, which shares one control
// plane among the tests of a binary.
//
// Everything that passes between the components is recorded in the Journal, and
// each component can be stopped, restarted or crashed by itself. All servers
// listen on the loopback interface only.
package emulator
