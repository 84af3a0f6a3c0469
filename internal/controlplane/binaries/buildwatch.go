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
	// enoughPackages is the number of compiled packages that an estimate requires.
	enoughPackages = 20
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
	total      int // an upper limit, 0 if unknown
	compiling  time.Time
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

func (w *buildWatch) expect(total int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total = total
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
	switch {
	case w.packages == 0:
		u.Message = fmt.Sprintf("%d modules downloaded", w.downloaded)
	case w.total < w.packages:
		u.Message = fmt.Sprintf("%d packages compiled", w.packages)
	default:
		u.Message = fmt.Sprintf("%d of at most %d packages compiled", w.packages, w.total)
		u.Done, u.Parts, u.Left = w.packages, w.total, w.left()
	}
	return u
}

// left estimates the time until all packages are compiled, from the compiled ones.
func (w *buildWatch) left() time.Duration {
	if w.packages < enoughPackages {
		return 0
	}
	return time.Since(w.compiling) / time.Duration(w.packages) * time.Duration(w.total-w.packages)
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
		if w.packages == 0 {
			w.compiling = time.Now()
		}
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
