// Package suggest finds the word that was meant by a misspelt one.
package suggest

import (
	"fmt"
	"strings"
)

// maxDistance is how many letters of a misspelt word may be wrong.
const maxDistance = 2

// Near returns the known name that is most like a name, or false if none is near.
func Near(name string, known []string) (string, bool) {
	best, distance := "", maxDistance+1
	for _, candidate := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best, best != ""
}

// From returns a hint at which of the known names was meant. The hint has all of them
// if none is near.
func From(name string, known []string) string {
	if best, ok := Near(name, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return "there are none"
	}
	return "it can be " + strings.Join(known, ", ")
}

// editDistance is the number of letters to insert, delete or replace.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
