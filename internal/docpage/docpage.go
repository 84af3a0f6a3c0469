// Package docpage replaces the generated parts of the documentation's pages.
package docpage

import (
	"fmt"
	"os"
	"strings"
)

// Replace returns a page with another text between two lines, which stay.
func Replace(page []byte, begin, end, text string) ([]byte, error) {
	before, rest, begins := strings.Cut(string(page), begin+"\n")
	_, after, ends := strings.Cut(rest, end+"\n")
	if !begins || !ends {
		return nil, fmt.Errorf("the page has nothing to replace: it must have the lines %q and %q", begin, end)
	}
	return []byte(before + begin + "\n" + text + end + "\n" + after), nil
}

// ReplaceIn is Replace for the page in a file. An error leaves the file unchanged.
func ReplaceIn(path, begin, end, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if page, err = Replace(page, begin, end, text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, page, 0o644) //nolint:gosec // a page for everyone to read
}
