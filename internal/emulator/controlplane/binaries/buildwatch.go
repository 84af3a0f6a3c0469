package binaries

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	reportInterval = time.Second
	keptLines      = 10
)

// buildWatch parses the output of `go build -v`, one package a line, and reports the
// progress every second.
type buildWatch struct {
	report func(Update)
	update Update
	began  time.Time
	quit   chan struct{}
	done   chan struct{}

	mu         sync.Mutex
	partial    []byte
	packages   int
	downloaded int
	last       []string
}

func newBuildWatch(report func(Update), update Update) *buildWatch {
	w := &buildWatch{report: report, update: update, began: time.Now(), quit: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *buildWatch) run() {
	defer close(w.done)
	tick := time.NewTicker(reportInterval)
	defer tick.Stop()
	for {
		w.report(w.current())
		select {
		case <-tick.C:
		case <-w.quit:
			return
		}
	}
}

// stop ends the reports, and waits for the last one.
func (w *buildWatch) stop() {
	close(w.quit)
	<-w.done
}

func (w *buildWatch) current() Update {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.update
	u.Elapsed = time.Since(w.began)
	u.Message = fmt.Sprintf("%d packages compiled", w.packages)
	if w.packages == 0 {
		u.Message = fmt.Sprintf("%d modules downloaded", w.downloaded)
	}
	return u
}

// Write receives the go command's output.
func (w *buildWatch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.partial = append(w.partial, p...)
	for {
		line, rest, found := bytes.Cut(w.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		w.partial = rest
		w.line(string(line))
	}
}

func (w *buildWatch) line(text string) {
	switch {
	case strings.HasPrefix(text, "go: downloading "):
		w.downloaded++
		return
	case text != "" && !strings.ContainsAny(text, " :"):
		w.packages++
		return
	}
	w.last = append(w.last, text)
	w.last = w.last[max(0, len(w.last)-keptLines):]
}

// lastLines returns the last output lines that are errors: neither packages nor
// downloads.
func (w *buildWatch) lastLines() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.last, "\n")
}
