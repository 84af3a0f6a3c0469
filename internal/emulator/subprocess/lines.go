package subprocess

import (
	"bytes"
	"strings"

	"github.com/go-logr/logr"
)

// lines takes what a process prints into the log, line by line.
type lines struct {
	logger logr.Logger
	rest   []byte
}

// maxLine is how much of a line is kept that does not end.
const maxLine = 16 << 10

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended && len(l.rest) < maxLine {
			return len(p), nil
		}
		l.logger.Info(strings.TrimSpace(string(line)))
		l.rest = append([]byte(nil), rest...)
	}
}
