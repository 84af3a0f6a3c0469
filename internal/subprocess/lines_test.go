package subprocess

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
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

// TestLines: each line is logged once, however it arrives. Of a long one, no part of a word is logged: it may be
// half a secret.
func TestLines(t *testing.T) {
	long := "key " + strings.Repeat("s", maxLine)
	for name, tc := range map[string]struct {
		writes, want []string
	}{
		"Lines":           {[]string{"a\nb\n"}, []string{"a", "b"}},
		"Pieces":          {[]string{"a", "b\nc", "", "\n"}, []string{"ab", "c"}},
		"Empty":           {[]string{"\n\n"}, []string{"", ""}},
		"NoEnd":           {[]string{"a\nb"}, []string{"a", "b"}},
		"Full":            {[]string{strings.Repeat("s", maxLine) + "\n"}, []string{strings.Repeat("s", maxLine)}},
		"Long":            {[]string{long + "\nb\n"}, []string{"key ... (and 16384 bytes)", "b"}},
		"LongPieces":      {[]string{long[:maxLine], long[maxLine:] + "tail", "\nb\n"}, []string{"key ... (and 16388 bytes)", "b"}},
		"LongWithoutWord": {[]string{long[4:] + "s\n"}, []string{"... (and 16385 bytes)"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lines{logger: logr.Discard(), tail: &tail{}}
			for _, text := range tc.writes {
				if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
					t.Fatal(n, err)
				}
			}
			l.flush()
			if diff := cmp.Diff(tc.want, l.tail.lines); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
