package report

import (
	"fmt"
	"os"
	"strings"
)

// The lines that enclose the table in the documentation.
const (
	begin = "<!-- clients -->"
	end   = "<!-- /clients -->"
)

// Write puts text between the markers of the document at path.
func Write(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	replaced, err := replace(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(replaced), 0o644) //nolint:gosec // documentation is for everyone to read
}

func replace(document, text string) (string, error) {
	before, rest, ok := strings.Cut(document, begin+"\n")
	if !ok {
		return "", fmt.Errorf("there is no line %s", begin)
	}
	_, after, ok := strings.Cut(rest, end+"\n")
	if !ok {
		return "", fmt.Errorf("there is no line %s", end)
	}
	return before + begin + "\n\n" + text + "\n" + end + "\n" + after, nil
}
