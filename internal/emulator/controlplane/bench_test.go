package controlplane_test

import (
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

// BenchmarkStart compares a control plane with a bare envtest of the same
// programs. What each stage takes after the first is a metric of its own.
func BenchmarkStart(b *testing.B) {
	set := programs(b)
	b.Run("envtest", func(b *testing.B) {
		for b.Loop() {
			env := &envtest.Environment{}
			env.ControlPlane.GetAPIServer().Path = set.APIServer
			env.ControlPlane.Etcd = &envtest.Etcd{Path: set.Etcd}
			if _, err := env.Start(); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := env.Stop(); err != nil {
				b.Error(err)
			}
			b.StartTimer()
		}
	})
	b.Run("controlplane", func(b *testing.B) {
		for b.Loop() {
			ctx := testContext(b)
			c, err := controlplane.Start(ctx, controlplane.Options{Binaries: set, Dir: filepath.Join(b.TempDir(), "cp")})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			stop(b, c)
			b.StartTimer()
		}
	})
}
