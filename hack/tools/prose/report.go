package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// worst is the number of files of each kind in a report.
const worst = 10

// sum returns the count of all files of a kind.
func sum(files map[string]count) count {
	total := newCount()
	for _, counted := range files {
		total.add(counted)
	}
	return total
}

// report returns the error of the first write that fails.
func report(out io.Writer, measured map[kind]map[string]count) error {
	var text strings.Builder
	for _, kind := range kinds {
		total := sum(measured[kind])
		fmt.Fprintf(&text, "%s: %d words\n", kind, total.words)
		for i, pattern := range patterns {
			if pattern.only == "" || pattern.only == kind {
				fmt.Fprintf(&text, "  %-12s %5d  %.2f per 1,000 words\n", pattern.name, total.found[i], total.rate(i))
			}
		}
		files := slices.SortedFunc(maps.Keys(measured[kind]), func(a, b string) int {
			first, second := measured[kind][a], measured[kind][b]
			return cmp.Or(cmp.Compare(second.total(), first.total()), cmp.Compare(a, b))
		})
		for _, file := range files[:min(worst, len(files))] {
			if counted := measured[kind][file]; counted.total() > 0 {
				fmt.Fprintf(&text, "  %5d in %5d words of %s\n", counted.total(), counted.words, file)
			}
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// judge returns an error that names each pattern above the bar.
func judge(measured map[kind]map[string]count) error {
	var errs []error
	for _, kind := range kinds {
		total := sum(measured[kind])
		for i, pattern := range patterns {
			if pattern.never {
				errs = append(errs, judgeNever(kind, measured[kind], i)...)
			} else if rate := total.rate(i); rate > bar {
				errs = append(errs, fmt.Errorf("%s: %q occurs %.2f times in 1,000 words, at most %.1f are allowed; rewrite the sentences that have it",
					kind, pattern.name, rate, bar))
			}
		}
	}
	return errors.Join(errs...)
}

// judgeNever returns an error for each file with a mistake.
func judgeNever(kind kind, files map[string]count, pattern int) (errs []error) {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if n := files[file].found[pattern]; n > 0 {
			errs = append(errs, fmt.Errorf("%s of %s: %q: %d; correct the grammar", kind, file, patterns[pattern].name, n))
		}
	}
	return errs
}
