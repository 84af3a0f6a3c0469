// Package format renders durations, places and other values for people.
package format

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// Span renders a duration with at most three digits, for people.
func Span(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < 0:
		return "-" + Span(-d)
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// Offset renders a time since the beginning, so that columns of them line up.
func Offset(d time.Duration) string {
	return fmt.Sprintf("%+.4f", d.Seconds())
}

// Percent renders a share as a number of percent.
func Percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 3, 64)
}

// Place renders a position: FILE, FILE:LINE or FILE:LINE:COLUMN.
func Place(p report.Position) string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Cut shortens a text to a number of letters.
func Cut(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters-1]) + "…"
	}
	return text
}
