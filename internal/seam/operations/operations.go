// Package operations lists the operations of each seam, from their definitions: the API types, the
// protocol, the tables of the data planes and the steps of a component's life. It checks names and
// patterns, so that a misspelt one is an error, instead of a fault or a check that never applies.
package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// Names returns the operations of a seam; none for a seam without a list.
func Names(seam journal.Seam) []string {
	switch seam {
	case journal.SeamAPI:
		return apiNames()
	case journal.SeamRPC:
		return Methods()
	case journal.SeamStore:
		return storeNames()
	case journal.SeamProcess:
		return journal.Steps()
	default:
		return nil
	}
}

// Check returns an error if a pattern matches no operation of a seam.
func Check(seam journal.Seam, pattern string) error {
	known := Names(seam)
	matches := func(name string) bool { return journal.MatchOperation(pattern, name) }
	if len(known) == 0 || slices.ContainsFunc(known, matches) || seam == journal.SeamAPI && isPath(pattern) {
		return nil
	}
	if other, ok := Seam(pattern); ok {
		return fmt.Errorf("unknown operation %q at seam %s: that is an operation of seam %s", pattern, seam, other)
	}
	if glob.HasWildcard(pattern) {
		return fmt.Errorf("the pattern %q matches no operation at seam %s: %s", pattern, seam, hint(seam, pattern))
	}
	if meant, ok := suggest.Near(pattern, known); ok {
		return fmt.Errorf("unknown operation %q at seam %s: did you mean %q?", pattern, seam, meant)
	}
	return fmt.Errorf("unknown operation %q at seam %s: %s", pattern, seam, hint(seam, pattern))
}

var seams = []journal.Seam{journal.SeamAPI, journal.SeamRPC, journal.SeamStore, journal.SeamProcess}

// Implied is Seam with an error that has the operation that was probably meant.
func Implied(pattern string) (journal.Seam, error) {
	if seam, ok := Seam(pattern); ok {
		return seam, nil
	}
	for _, seam := range seams {
		if slices.ContainsFunc(Names(seam), func(name string) bool { return journal.MatchOperation(pattern, name) }) {
			return "", fmt.Errorf("the operation %q is one of several seams: name the seam, which is api, rpc, store or process", pattern)
		}
	}
	for _, seam := range seams {
		if meant, ok := suggest.Near(pattern, Names(seam)); ok {
			return "", fmt.Errorf("unknown operation %q: did you mean %q of seam %s?", pattern, meant, seam)
		}
	}
	return "", fmt.Errorf("unknown operation %q: name the seam for a list of its operations, which is api, rpc, store or process", pattern)
}

// Seam returns the only seam that has the operations of a pattern, or false.
func Seam(pattern string) (found journal.Seam, ok bool) {
	for _, seam := range seams {
		if !slices.ContainsFunc(Names(seam), func(name string) bool { return journal.MatchOperation(pattern, name) }) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = seam
	}
	return found, found != ""
}

// hint describes the operations of a seam.
func hint(seam journal.Seam, pattern string) string {
	switch seam {
	case journal.SeamAPI:
		return apiHint(pattern)
	case journal.SeamStore:
		return "they are the operations of S3, GCS and Azure, such as PutObject, objects.insert or PutBlob, and the driver's own calls " +
			strings.Join(adminCalls, ", ")
	default:
		return "they are " + strings.Join(Names(seam), ", ")
	}
}
