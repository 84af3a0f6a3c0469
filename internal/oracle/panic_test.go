package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestPanic has processes that end.
func TestPanic(t *testing.T) {
	const nilPointer = "/bin/sidecar has ended: exit status 2: panic: runtime error: invalid memory address or nil pointer dereference"
	exit := func(message string) func(*story) {
		return func(s *story) {
			ended := event("sidecar", journal.SeamProcess, journal.StepFail, "", "", "")
			ended.Outcome, ended.Message = "Error", message
			s.before("identify access", ended)
		}
	}
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"AfterCall": {
			reason: "The grant was the last operation of the sidecar.", happen: exit(nilPointer),
			want: []summary{{vocabulary.Panic, "sidecar"}},
		},
		"Fatal": {
			reason: "The Go runtime has other reasons, too.",
			happen: exit("/bin/sidecar has ended: exit status 2: fatal error: all goroutines are asleep"),
			want:   []summary{{vocabulary.Panic, "sidecar"}},
		},
		"Exit":   {reason: "A process without a Lease has to end.", happen: exit("/bin/sidecar has ended: exit status 1")},
		"Quotes": {reason: "A message that only mentions a panic is none.", happen: exit("/bin/sidecar has ended: exit status 1, no panic: bye")},
	})
	s := lifecycleV1alpha1()
	exit(nilPointer)(s)
	const want = `sidecar ended with a panic after DriverGrantBucketAccess ` + account + ` -> OK: ` +
		`runtime error: invalid memory address or nil pointer dereference`
	if got := oracle.Judge(s.history()); len(got) != 1 || got[0].Message != want {
		t.Errorf("found %v, want %q", got, want)
	}
}
