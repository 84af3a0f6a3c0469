package endtoend

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestExploration: the command names a scenario that ships with the program, and no file of this repository.
func TestExploration(t *testing.T) {
	r := New(Options{Program: "cosi-emu", DriverFlags: "--driver unix:///tmp/a.sock", Dialect: dialects.NoModes})
	const want = "cosi-emu explore --suite --scenario claim-first --at 'sidecar rpc *' --driver unix:///tmp/a.sock --dialect no-modes"
	if got := r.exploration("claim-first"); got != want {
		t.Errorf("exploration() = %s, want %s", got, want)
	}
}
