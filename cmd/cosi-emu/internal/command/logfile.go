package command

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

const followInterval = 100 * time.Millisecond

// logLines yields the lines of a file, without line breaks. With follow it continues with new
// lines, until the file is removed or ctx is done. It yields complete lines only.
func logLines(ctx context.Context, path string, follow bool) iter.Seq2[string, error] {
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

func waitForMore(ctx context.Context, path string) bool {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	interval, cancel := context.WithTimeout(ctx, followInterval)
	defer cancel()
	<-interval.Done()
	return ctx.Err() == nil
}
