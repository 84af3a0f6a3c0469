package progress

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// recordMark starts a line that is a record instead of text: the record separator of RFC 7464.
const recordMark = "\x1e"

type record struct {
	Call    string        `json:"call"`
	Phase   string        `json:"phase"`
	Text    string        `json:"text,omitempty"`
	Done    int           `json:"done,omitempty"`
	Total   int           `json:"total,omitempty"`
	Elapsed time.Duration `json:"elapsed,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
}

const (
	callStarted  = "started"
	callProgress = "progress"
	callNote     = "note"
	callDone     = "done"
	callEnded    = "ended"
)

// recorder writes records for a Relay in another process, which has the terminal.
type recorder struct {
	mu sync.Mutex
	w  io.Writer
}

// NewRecorder returns a reporter that writes records to w, between other text, for a Relay.
func NewRecorder(w io.Writer) Reporter { return &recorder{w: w} }

func (r *recorder) write(call record) {
	line, err := json.Marshal(call)
	if err != nil {
		return // texts and numbers can always be encoded
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(r.w, "%s%s\n", recordMark, line) // output has no reader
}

func (r *recorder) PhaseStarted(phase string) { r.write(record{Call: callStarted, Phase: phase}) }

func (r *recorder) PhaseProgress(phase, detail string) {
	r.write(record{Call: callProgress, Phase: phase, Text: detail})
}

func (r *recorder) PhaseNote(phase, text string) {
	r.write(record{Call: callNote, Phase: phase, Text: text})
}

func (r *recorder) PhaseDone(phase string, done, total int) {
	r.write(record{Call: callDone, Phase: phase, Done: done, Total: total})
}

func (r *recorder) PhaseEnded(phase string, elapsed time.Duration, err error) {
	r.write(record{Call: callEnded, Phase: phase, Elapsed: elapsed, Failed: err != nil})
}

func (r *recorder) Print(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = io.WriteString(r.w, text) // output has no reader
}

func (r *recorder) Close() error { return nil }

// Relay reads the output of a process with a recorder: it reports the records, and prints the other
// text.
type Relay struct {
	to      Reporter
	partial string
}

// NewRelay returns a relay to a reporter.
func NewRelay(to Reporter) *Relay { return &Relay{to: to} }

// errPhase is the error of a phase in another process, which prints the cause.
var errPhase = errors.New("it failed")

func (r *Relay) Write(p []byte) (int, error) {
	text := r.partial + string(p)
	end := strings.LastIndexByte(text, '\n') + 1
	r.partial = text[end:]
	for line := range strings.Lines(text[:end]) {
		call, isRecord := strings.CutPrefix(line, recordMark)
		var parsed record
		if !isRecord || json.Unmarshal([]byte(call), &parsed) != nil {
			r.to.Print(line)
			continue
		}
		r.report(parsed)
	}
	return len(p), nil
}

func (r *Relay) report(call record) {
	switch call.Call {
	case callStarted:
		r.to.PhaseStarted(call.Phase)
	case callProgress:
		r.to.PhaseProgress(call.Phase, call.Text)
	case callNote:
		r.to.PhaseNote(call.Phase, call.Text)
	case callDone:
		r.to.PhaseDone(call.Phase, call.Done, call.Total)
	case callEnded:
		var err error
		if call.Failed {
			err = errPhase
		}
		r.to.PhaseEnded(call.Phase, call.Elapsed, err)
	}
}

// Close prints an unfinished line, and closes the reporter.
func (r *Relay) Close() error {
	if r.partial != "" {
		r.to.Print(r.partial + "\n")
		r.partial = ""
	}
	return r.to.Close()
}
