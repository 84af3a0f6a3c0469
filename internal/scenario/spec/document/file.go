package document

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of scenarios like [os.ReadFile]. A file larger than MaxBytes is a
// [Problem], and is not read.
func ReadFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxBytes {
		return nil, tooLarge(name, info.Size())
	}
	// A file without a size, such as a pipe, may be endless.
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		return nil, tooLarge(name, int64(len(data)))
	}
	return data, err
}

func tooLarge(file string, size int64) error {
	start := Position{File: file, Line: 1, Column: 1}
	return &Problem{start, fmt.Sprintf("the file has at least %d bytes, at most %d are allowed", size, MaxBytes)}
}
