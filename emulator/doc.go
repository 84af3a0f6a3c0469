// Package emulator runs all of COSI on one machine: a kube-apiserver with etcd and the controllers
// of kube-controller-manager that COSI depends on, the COSI controller and a sidecar with the RBAC
// rules of a cluster, a fake driver, and its S3 store.
//
//	emu, err := emulator.Start(ctx, emulator.Options{})
//	if err != nil {
//		return err
//	}
//	defer emu.Stop(ctx)
//
// For tests, use package emulatortest. It shares one control plane among the tests of a binary.
//
// The Journal records all operations between the components. Each component can be stopped,
// restarted or crashed alone. All servers listen on the loopback interface only, unless
// Options.Listen sets another address.
package emulator
