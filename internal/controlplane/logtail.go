package controlplane

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
)

const (
	tailLines = 20
	tailBytes = 16 << 10
)

// LogTail returns the last lines of a component's log, at most 20 of them and 16 KiB; after a
// panic, only the line with the cause. It is for error messages, so it ignores errors.
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
	if cause := causeOf(all); cause != "" {
		return []string{cause}
	}
	if offset > 0 && len(all) > 1 {
		all = all[1:] // probably a partial line
	}
	return all[max(0, len(all)-tailLines):]
}

// causeOf returns the cause of a Go program's panic or fatal error, without the stack; empty
// without one. etcd logs the cause before it panics, as JSON. On a full disk that line is cut; the error before it
// is the cause.
func causeOf(lines []string) string {
	cause, failure := "", ""
	for i, line := range lines {
		var entry struct {
			Level string `json:"level"`
			Msg   string `json:"msg"`
			Error string `json:"error"`
		}
		switch {
		case strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &entry) == nil:
			switch text := strings.TrimSuffix(entry.Msg+": "+entry.Error, ": "); entry.Level {
			case "panic", "fatal":
				cause = text
			case "error":
				failure = text
			}
		case strings.HasPrefix(line, `{"level":"panic"`), strings.HasPrefix(line, `{"level":"fatal"`):
			cause = failure
		case cause == "" && isPanic(lines[i:]):
			cause = line
		}
	}
	return cause
}

// isPanic reports whether the first line is the cause of a panic, followed by a stack.
func isPanic(lines []string) bool {
	return (strings.HasPrefix(lines[0], "panic: ") || strings.HasPrefix(lines[0], "fatal error: ")) &&
		slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "goroutine ") })
}
