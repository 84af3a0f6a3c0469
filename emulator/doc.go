// Package emulator runs all of COSI on one machine: a control plane, the COSI controller and a sidecar
// with the RBAC rules of a cluster, a fake driver or one of your own, and, behind the fake driver, a
// store with services for S3, GCS and Azure. The control plane is kube-apiserver with etcd and the
// controllers that COSI depends on, or an API server in this process.
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
