// Package liblog writes the logs of the embedded API server's libraries into its log
// file. They log through klog, which has one logger for the whole program.
//
// A line belongs to the embedded API server if a function of its libraries is on the stack. All
// other lines, such as lines of the program that embeds the emulator, go to their previous
// destination.
package liblog

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// libraries are prefixes of the functions of an embedded API server.
var libraries = []string{
	"k8s.io/apiserver/", "k8s.io/apiextensions-apiserver/",
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded.",
	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/",
}

// straggling is the time for which requests of an API server may continue after its end. Their
// lines are discarded if no other API server runs.
const straggling = time.Minute

// maxStack is the number of callers that are checked.
const maxStack = 64

// Divert writes the lines of embedded API servers into their files, and all others to a writer. It
// replaces the logger of klog, and must be called before other goroutines log.
func Divert(others io.Writer) {
	d := &diverter{others: others}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(d)))
	klog.SetLoggerWithOptions(logger, klog.WriteKlogBuffer(func(line []byte) { _, _ = d.Write(line) }))
}

// All programs that import this package divert lines that would go to standard error. Later, it
// would be a data race with goroutines that log: gRPC, too, logs through klog, because of
// k8s.io/apiserver/pkg/storage/etcd3.
func init() { Divert(os.Stderr) } //nolint:gochecknoinits // see above

// open are the files of running embedded API servers.
var open struct {
	mu    sync.Mutex
	files []*string
	ended time.Time // end of the last API server
}

// AddFile adds lines to a file until remove is called. If several API servers run, all lines are
// written to the file of the latest one, because klog does not identify their origin.
func AddFile(file string) (remove func()) {
	open.mu.Lock()
	defer open.mu.Unlock()
	added := &file
	open.files = append(open.files, added)
	return func() {
		open.mu.Lock()
		defer open.mu.Unlock()
		open.ended = time.Now()
		open.files = slices.DeleteFunc(open.files, func(f *string) bool { return f == added })
	}
}

// diverter is klog's writer.
type diverter struct{ others io.Writer }

func (d *diverter) Write(line []byte) (int, error) {
	open.mu.Lock()
	defer open.mu.Unlock()
	running := len(open.files) > 0
	switch {
	case !running && time.Since(open.ended) > straggling, !isFromLibrary():
		return d.others.Write(line)
	case running:
		return len(line), appendTo(*open.files[len(open.files)-1], line)
	default:
		return len(line), nil
	}
}

// isFromLibrary reports whether a library of an API server is on the stack.
func isFromLibrary() bool {
	callers := make([]uintptr, maxStack)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		if slices.ContainsFunc(libraries, func(name string) bool { return strings.HasPrefix(frame.Function, name) }) {
			return true
		}
		if !more {
			return false
		}
	}
}

func appendTo(name string, line []byte) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	if failed := file.Close(); err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("write the log of the API server: %w", err)
	}
	return nil
}
