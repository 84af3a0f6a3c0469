// Package counted renders numbers with their nouns.
package counted

import (
	"fmt"
	"strings"
)

// Of returns a number with its noun, such as "1 file" or "2 files".
func Of[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
