package explore

import "testing"

func TestSandboxesFor(t *testing.T) {
	for processors, want := range map[int]int{1: 3, 2: 3, 4: 6, 8: 8, 64: 8} {
		if got := sandboxesFor(processors); got != want {
			t.Errorf("sandboxesFor(%d) = %d, want %d", processors, got, want)
		}
	}
}
