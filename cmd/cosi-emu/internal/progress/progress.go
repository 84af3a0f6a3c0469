// Package progress shows the progress of a start or of scenarios: live check marks on a
// terminal, plain lines elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// Reporter is an emulator.Reporter that must be closed after the start.
type Reporter interface {
	emulator.Reporter
	io.Closer
}

// New returns the reporter for w, which may be a terminal.
func New(w io.Writer) Reporter {
	if file, ok := onTerminal(w); ok {
		return newTerminal(file, func() int { return width(file) })
	}
	return &plain{w: w}
}

// onTerminal returns w as a file if it is a terminal on which lines can be redrawn.
func onTerminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

func width(file *os.File) int {
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}

// plain writes a line for each event.
type plain struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *plain) PhaseStarted(string) {}

func (p *plain) PhaseProgress(phase, detail string) {
	p.printf("%s: %s\n", phase, detail)
}

func (p *plain) PhaseEnded(phase string, elapsed time.Duration, err error) {
	if err != nil {
		p.printf("%s: failed after %s\n", phase, seconds(elapsed))
		return
	}
	p.printf("%s: done in %s\n", phase, seconds(elapsed))
}

func (p *plain) Close() error { return nil }

func (p *plain) printf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintf(p.w, format, args...) // there is no one to tell
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// oneLine cuts a text to a line of the given width.
func oneLine(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(width-1, 0)]) + "…"
	}
	return text
}
