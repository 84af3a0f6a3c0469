// Package progress shows the progress of a start or of scenarios: live check marks on a terminal,
// plain lines elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Reporter implements emulator.Reporter and emulator.DetailReporter, and must be closed after the
// start. It repeats their methods, so that this package does not link the emulator.
type Reporter interface {
	PhaseStarted(phase string)
	PhaseProgress(phase, detail string)
	PhaseNote(phase, text string)
	PhaseDone(phase string, done, total int)
	PhaseEnded(phase string, elapsed time.Duration, err error)

	io.Closer
	// Print writes text between the lines of phases.
	Print(text string)
}

// New returns the reporter for w, which may be a terminal.
func New(w io.Writer) Reporter {
	if file, ok := onTerminal(w); ok {
		return newTerminal(file, func() int { return width(file) })
	}
	return newPlain(w)
}

// onTerminal returns w as a file if it is a terminal on which lines can be redrawn.
func onTerminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// coloured returns whether texts on a terminal may have colours, which NO_COLOR disables
// (no-color.org).
func coloured() bool { return os.Getenv("NO_COLOR") == "" }

// paint returns text in a colour, if colours are allowed.
func paint(colour, text string) string {
	if !coloured() {
		return text
	}
	return colour + text + plainText
}

func width(file *os.File) int {
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

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
