// Package failurelog writes the logs of a failed test to files, and prints their paths: hundreds of
// lines in the output of the test would hide its failure.
package failurelog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

const dirMode = 0o700

// dir returns the temporary directory for all logs of a test.
func dir(tb testing.TB) string {
	tb.Helper()
	name := unsafe.ReplaceAllString(tb.Name(), "-")
	return filepath.Join(os.TempDir(), "cosi-emu-test", name+"."+strconv.Itoa(os.Getpid()))
}

// Keep writes a log of a failed test into a file, and logs its path.
func Keep(tb testing.TB, name string, write func(io.Writer) error) {
	tb.Helper()
	path, err := keep(dir(tb), name, write)
	if err != nil {
		tb.Logf("the log %s cannot be kept: %v", name, err)
		return
	}
	tb.Logf("%s: %s", name, path)
}

func keep(dir, name string, write func(io.Writer) error) (string, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return "", err
	}
	path := filepath.Join(dir, unsafe.ReplaceAllString(name, "-")+".log")
	file, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("write the log: %w", err)
	}
	return path, errors.Join(write(file), file.Close())
}
