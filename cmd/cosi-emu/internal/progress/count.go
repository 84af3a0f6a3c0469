package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Count shows the progress of many equal tasks: a bar on a terminal, elsewhere a line every 15
// seconds.
type Count struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int // nil without a terminal
	said  time.Time
	phase string
}

// NewCount returns the display for w, which may be a terminal. It must be closed.
func NewCount(w io.Writer) *Count {
	c := &Count{w: w}
	if file, ok := onTerminal(w); ok {
		c.width = func() int { return width(file) }
	}
	return c
}

const (
	// barWidth is the width of the bar, in characters.
	barWidth = 24
)

// Show prints the progress. The text begins with the phase and a colon.
func (c *Count) Show(text string, done, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.width != nil {
		_, _ = fmt.Fprintf(c.w, "\r\x1b[K%s", oneLine(bar(done, total)+text, c.width()-1)) // output has no reader
		return
	}
	phase, _, _ := strings.Cut(text, ":")
	if phase == c.phase && done != total && time.Since(c.said) < lineInterval {
		return
	}
	c.phase, c.said = phase, time.Now()
	_, _ = fmt.Fprintln(c.w, text)
}

// Print writes text above the bar.
func (c *Count) Print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.width != nil {
		text = clearLine + text
	}
	_, _ = fmt.Fprint(c.w, text) // output has no reader
}

func bar(done, total int) string {
	if total == 0 {
		return ""
	}
	full := min(barWidth, barWidth*done/total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] "
}

// Close ends the line.
func (c *Count) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.width != nil {
		_, _ = fmt.Fprint(c.w, "\r\x1b[K")
	}
	return nil
}
