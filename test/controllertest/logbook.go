package controllertest

import (
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// LogBook keeps what the controller logs. The zero value is ready.
type LogBook struct {
	mu    sync.Mutex
	lines []string
}

// Logger returns a Logger that writes to the LogBook.
func (l *LogBook) Logger() logr.Logger {
	return funcr.New(func(prefix, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, prefix+" "+args)
	}, funcr.Options{LogTimestamp: true})
}

// String returns all lines so far.
func (l *LogBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
