// Package suggest finds the intended word for a misspelt one.
package suggest

import (
	"fmt"
	"strings"
)

// maxDistance is the maximum number of wrong letters in a misspelt word.
const maxDistance = 2

// Near returns the known name that is most similar to a name, or false if none is near.
func Near(name string, known []string) (string, bool) {
	best, distance := "", maxDistance+1
	for _, candidate := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best, best != ""
}

// From returns a hint with the known name that was probably intended, or with all names.
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
