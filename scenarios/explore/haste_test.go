package explore

import (
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

func TestHaste(t *testing.T) {
	crash := fault.Fault{Effect: fault.Effect{Crash: fault.After}}
	cut := fault.Fault{Match: fault.Match{Operation: "event buckets"}, Effect: fault.Effect{CloseWatch: true}}
	fail := fault.Fault{Match: fault.Match{Operation: "DriverCreateBucket"}, Effect: fault.Effect{Fail: "Unavailable"}}
	for _, test := range []struct {
		name, reason string
		faults       []fault.Fault
		usual, want  time.Duration
	}{
		{"quick", "shorter than retries take says nothing", []fault.Fault{fail}, time.Millisecond, surely},
		{"slow machine", "a silence as long as the whole run is one", []fault.Fault{fail}, time.Second, time.Second},
		{"very slow", "there is an end to it", []fault.Fault{fail}, time.Minute, maxHaste},
		{"crash", "a component starts anew in silence", []fault.Fault{fail, crash}, time.Millisecond, rejoining},
		{"cut watch", "a watch is begun anew in silence", []fault.Fault{cut}, time.Millisecond, rejoining},
		{"no fault", "the clean run", nil, time.Millisecond, surely},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := haste(test.faults, test.usual); got != test.want {
				t.Errorf("%s, want %s: %s", got, test.want, test.reason)
			}
		})
	}
}
