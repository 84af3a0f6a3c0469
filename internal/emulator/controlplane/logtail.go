package controlplane

import (
	"io"
	"os"
	"strings"
)

const (
	tailLines = 20
	tailBytes = 16 << 10
)

// LogTail returns the last lines of a component's log, at most 20 of them and 16
// KiB. It is for error messages, so it returns nothing rather than fail.
func LogTail(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read from
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	offset := max(0, info.Size()-tailBytes)
	data, err := io.ReadAll(io.NewSectionReader(file, offset, tailBytes))
	if err != nil || len(data) == 0 {
		return nil
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	if offset > 0 && len(all) > 1 {
		all = all[1:] // most likely not a whole line
	}
	return all[max(0, len(all)-tailLines):]
}
