package isolation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emulator has a size, so that each has an address of its own.
type emulator struct{ _ *emulator }

// TestCompany starts and ends scenarios on two engines of one emulator.
func TestCompany(t *testing.T) {
	emu := &emulator{}
	one, two := For(emu), For(emu)
	if one != two {
		t.Fatal("two engines of one emulator do not know of each other")
	}
	if For(&emulator{}) == one {
		t.Error("engines of different emulators do")
	}
	expect := func(r *Run, want bool) {
		t.Helper()
		if got, _ := r.State(); got != want {
			t.Errorf("%s has been alone: %t, want %t", r.scope, got, want)
		}
	}
	first := one.Enter("first-1", "")
	expect(first, true)
	second := two.Enter("second-2", "")
	expect(first, false)
	expect(second, false)
	first.Leave(false, nil)
	expect(second, false) // another run was active
	second.Leave(true, []string{"uid"})
	third := one.Enter("third-3", "")
	expect(third, true)
	if _, left := third.State(); !cmp.Equal([]string{"uid", "second-2"}, left) {
		t.Errorf("words of what others have left: %v", left)
	}
	again := two.Enter("second-2", "") // of the other engine
	if _, left := again.State(); !cmp.Equal([]string{"uid"}, left) {
		t.Errorf("words of what others have left: %v; want none of its own", left)
	}
}
