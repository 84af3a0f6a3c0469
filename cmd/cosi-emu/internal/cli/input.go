package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// stdin is the name of a file that stands for standard input.
const stdin = "-"

// ReadInput reads a file, or standard input if its name is "-". It returns the name for error
// messages, too.
func ReadInput(streams Streams, file string) (name string, data []byte, err error) {
	if file != stdin {
		data, err = os.ReadFile(filepath.Clean(file))
		return file, data, err
	}
	if data, err = io.ReadAll(streams.In); err != nil {
		return "stdin", nil, fmt.Errorf("read standard input: %w", err)
	}
	return "stdin", data, nil
}
