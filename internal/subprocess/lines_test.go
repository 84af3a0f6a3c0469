package subprocess

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
)

// TestPanicOfProcess: the reason of a panic is the first line that the Go runtime prints; the stack that
// follows is longer than the tail.
func TestPanicOfProcess(t *testing.T) {
	for name, tc := range map[string]struct{ reason, output, want string }{
		"Panic": {
			"The stack follows.", "at work\npanic: no answer\n\tpanic: again\n" + strings.Repeat("frame\n", 2*tailLines), ": panic: no answer",
		},
		"Fatal":  {"The runtime itself gives up.", "fatal error: out of memory\n", ": fatal error: out of memory"},
		"None":   {"A log line about one is none.", "E1127 Observed a panic: no answer\n", ""},
		"Silent": {"The process printed nothing.", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tail := &tail{}
			l := &lines{logger: logr.Discard(), tail: tail}
			if _, err := l.Write([]byte(tc.output)); err != nil {
				t.Fatal(err)
			}
			if got := tail.cause(); got != tc.want {
				t.Errorf("%s got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
