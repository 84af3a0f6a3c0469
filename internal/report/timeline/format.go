package timeline

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// span renders a duration with at most three digits, for people.
func span(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < 0:
		return "-" + span(-d)
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

// offset renders a time since the beginning, so that columns of them line up.
func offset(d time.Duration) string {
	return fmt.Sprintf("%+.4f", d.Seconds())
}

func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 3, 64)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func pairs(labels map[string]string) []string {
	all := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	return all
}

func place(p report.Position) string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}
