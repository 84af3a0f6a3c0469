//go:build unix

package envtest_test

import (
	"path/filepath"
	"testing"

	crenvtest "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
)

// BenchmarkStart compares a control plane with a bare envtest of the same programs. Each stage
// after the first has a metric of its own.
func BenchmarkStart(b *testing.B) {
	set := binariestest.Find(b)
	b.Run("envtest", func(b *testing.B) {
		for b.Loop() {
			env := &crenvtest.Environment{}
			env.ControlPlane.GetAPIServer().Path = set.APIServer
			env.ControlPlane.Etcd = &crenvtest.Etcd{Path: set.Etcd}
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
			c, err := envtest.Start(ctx, controlplane.Options{Binaries: set, Dir: filepath.Join(b.TempDir(), "cp")})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			stop(b, c)
			b.StartTimer()
		}
	})
}
