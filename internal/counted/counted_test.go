package counted_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/counted"
)

func TestOf(t *testing.T) {
	for want, got := range map[string]string{
		"0 files": counted.Of(0, "file"), "1 file": counted.Of(1, "file"), "2 files": counted.Of(int64(2), "file"),
		"1 sandbox": counted.Of(1, "sandbox"), "2 sandboxes": counted.Of(2, "sandbox"), "3 accesses": counted.Of(3, "access"),
	} {
		if got != want {
			t.Errorf("Of() = %q, want %q", got, want)
		}
	}
}
