package seam_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// TestClock: the clock of a store jumps at the second of three requests, and is correct again when
// the fault is removed.
func TestClock(t *testing.T) {
	for name, jump := range map[string]time.Duration{"Forward": 2 * time.Hour, "Back": -20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			second := fault.Match{Seam: journal.SeamStore, Operation: "PutObject", Nth: 2}
			i, set, j := withFault(t, second, fault.Effect{Clock: jump})
			var read []time.Duration // offsets of the store's clock from the system's
			server := httptest.NewServer(i.Middleware(open(t), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				read = append(read, time.Until(i.Now()).Round(time.Minute))
			})))
			defer server.Close()
			for n := 1; n <= 4; n++ {
				if n == 4 {
					set.Clear()
				}
				if _, _, err := put(t, server, n); err != nil {
					t.Fatal(err)
				}
			}
			for n, want := range []time.Duration{0, jump, jump, 0} {
				if read[n] != want {
					t.Errorf("at request %d the clock is wrong by %s, want %s", n+1, read[n], want)
				}
			}
			expectApplied(t, j, "PutObject b/k2 OK")
		})
	}
}

// TestClockFromStart: a component has another time in one of its incarnations.
func TestClockFromStart(t *testing.T) {
	j, set := journal.New(journal.Options{}), fault.NewSet()
	if err := set.Add(fault.Fault{
		Name: "f", Match: fault.Match{Seam: journal.SeamProcess, Nth: 2}, Effect: fault.Effect{Clock: time.Hour},
	}); err != nil {
		t.Fatal(err)
	}
	for number, want := range []time.Duration{0, time.Hour, 0} {
		i := seam.NewIncarnation(j, "actor", number+1)
		t.Cleanup(i.Fence)
		i.Inject(set, seam.Hooks{})
		if err := i.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Until(i.Now()).Round(time.Minute); got != want {
			t.Errorf("in incarnation %d the clock is wrong by %s, want %s", number+1, got, want)
		}
	}
}
