// Package emulator runs all of COSI on one machine. It starts a real kube-apiserver
// with etcd and a few controllers of the kube-controller-manager, the COSI controller
// and a sidecar with the RBAC rules of a cluster, a fake driver, and its S3 store.
//
//	emu, err := emulator.Start(ctx, emulator.Options{})
//	if err != nil {
//		return err
//	}
//	defer emu.Stop(ctx)
//
// For tests, use package emulatortest. It shares one control plane among the tests of
// a binary.
//
// The Journal records all operations between the components. Each component can be
// stopped, restarted or crashed alone. All servers listen on the loopback interface
// only, unless Options.Listen names another address.
package emulator
