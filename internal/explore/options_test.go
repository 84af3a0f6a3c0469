package explore

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
)

func TestSandboxesFor(t *testing.T) {
	for plane, wants := range map[kind.Kind]map[int]int{
		kind.Envtest:  {1: 3, 2: 3, 4: 6, 8: 8, 64: 8},
		kind.Embedded: {1: 4, 2: 8, 4: 16, 8: 32, 64: 32},
	} {
		for processors, want := range wants {
			if got := sandboxesFor(processors, plane); got != want {
				t.Errorf("sandboxesFor(%d, %s) = %d, want %d", processors, plane, got, want)
			}
		}
	}
}
