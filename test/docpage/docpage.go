// Package docpage replaces what a program has generated in a page of the documentation.
package docpage

import (
	"fmt"
	"os"
	"strings"
)

// Replace replaces what is between two lines of a page, which stay.
func Replace(path, begin, end, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(page), begin+"\n")
	_, after, ends := strings.Cut(rest, end+"\n")
	if !begins || !ends {
		return fmt.Errorf("%s has nothing to replace: it must have the lines %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+end+"\n"+after), 0o644) //nolint:gosec // a page for everyone to read
}
