// Package logfile reads the files that a running emulator writes, line by line
// and, on request, as the lines come.
package logfile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"
)

// pollInterval is how often a file that is followed is looked at. A person reads
// along, so there is no hurry.
const pollInterval = 100 * time.Millisecond

// Lines yields the lines of a file, without their ends. With follow it goes on
// with those that are added, until the file is removed or ctx is done; a line is
// yielded when it is complete.
func Lines(ctx context.Context, path string, follow bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield("", err)
			return
		}
		defer file.Close() //nolint:errcheck // it was only read
		reader := bufio.NewReader(file)
		var partial strings.Builder
		for {
			text, err := reader.ReadString('\n')
			partial.WriteString(text)
			switch {
			case err == nil:
				line := strings.TrimSuffix(partial.String(), "\n")
				partial.Reset()
				if !yield(line, nil) {
					return
				}
			case !errors.Is(err, io.EOF):
				yield("", err)
				return
			case !follow || !waitForMore(ctx, path):
				if partial.Len() > 0 {
					yield(partial.String(), nil)
				}
				return
			}
		}
	}
}

// waitForMore waits for a moment, and says whether more can come.
func waitForMore(ctx context.Context, path string) bool {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	moment, cancel := context.WithTimeout(ctx, pollInterval)
	defer cancel()
	<-moment.Done()
	return ctx.Err() == nil
}
