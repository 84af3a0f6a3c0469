package journal

import (
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// Logger returns a logger whose lines become events of the journal, so that they have the same
// clock as the component's operations. Lines above the given verbosity are dropped.
func (j *Journal) Logger(component string, incarnation, verbosity int) logr.Logger {
	sink := funcr.New(func(prefix, args string) {
		level, text := splitLevel(args)
		e := j.Begin(component, incarnation, SeamLog, Operation{Name: level})
		e.Nth = 0
		e.Message = strings.TrimSpace(strings.TrimPrefix(fmt.Sprintf("%s: %s", prefix, text), ": "))
		j.Append(e)
	}, funcr.Options{Verbosity: verbosity})
	return sink
}

// splitLevel removes the level from a line of funcr, which has the form `"level"=0 "msg"="..."
// ...`, or `"msg"="..." "error"="..."` for errors.
func splitLevel(line string) (level, rest string) {
	if after, ok := strings.CutPrefix(line, `"level"=`); ok {
		_, rest, _ = strings.Cut(after, " ")
		return "info", rest
	}
	return "error", line
}
