package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// Rewrite replaces the lines of a file, if change changes one. Lines are passed without line
// breaks. A missing file stays missing. If Rewrite fails, the file is unchanged.
func Rewrite(path string, change func(line []byte) []byte) error {
	changed, err := changes(path, change)
	if err != nil || !changed {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", path, err)
	}
	err = atomicfile.Replace(path, info.Mode(), func(w io.Writer) error {
		out := bufio.NewWriter(w)
		err := eachLine(path, func(line []byte, end string) error {
			_, err := out.WriteString(string(change(line)) + end)
			return err
		})
		return errors.Join(err, out.Flush())
	})
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", path, err)
	}
	return nil
}

var errChanged = errors.New("a line is changed")

func changes(path string, change func([]byte) []byte) (bool, error) {
	err := eachLine(path, func(line []byte, _ string) error {
		if !bytes.Equal(line, change(line)) {
			return errChanged
		}
		return nil
	})
	switch {
	case errors.Is(err, errChanged):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// eachLine calls a function for each line, with its end, which the last one may lack.
func eachLine(path string, f func(line []byte, end string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		end := ""
		if ended {
			end = "\n"
		}
		if len(line) > 0 {
			if err := f(text, end); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
