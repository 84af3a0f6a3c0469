package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// TestCompany starts and ends scenarios on two engines of one emulator.
func TestCompany(t *testing.T) {
	emu := &emulator.Emulator{}
	one, two := isolationFor(emu), isolationFor(emu)
	if one != two {
		t.Fatal("two engines of one emulator do not know of each other")
	}
	if isolationFor(&emulator.Emulator{}) == one {
		t.Error("engines of different emulators do")
	}
	first, second, third := &run{scope: "first-1"}, &run{scope: "second-2", words: []string{"uid"}}, &run{scope: "third-3"}
	expect := func(r *run, want bool) {
		t.Helper()
		if got, _ := one.state(r); got != want {
			t.Errorf("%s has been alone: %t, want %t", r.scope, got, want)
		}
	}
	one.enter(first)
	expect(first, true)
	two.enter(second)
	expect(first, false)
	expect(second, false)
	one.leave(first, false)
	expect(second, false) // another run was active
	two.leave(second, true)
	one.enter(third)
	expect(third, true)
	if _, left := one.state(third); !cmp.Equal([]string{"uid", "second-2"}, left) {
		t.Errorf("words of what others have left: %v", left)
	}
	again := &run{scope: "second-2"} // of the other engine
	two.enter(again)
	if _, left := one.state(again); !cmp.Equal([]string{"uid"}, left) {
		t.Errorf("words of what others have left: %v; want none of its own", left)
	}
}
