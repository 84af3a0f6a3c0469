package payload

import (
	"errors"
	"io"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// File is a file in the body of a form, whose size is known when it ends.
type File struct {
	Content io.Reader
	// Min and Max are the limits of the size, in bytes.
	Min, Max int64
}

// bounded returns the content, with an error if its size is not allowed.
func (f File) bounded(limit int64) io.Reader {
	f.Max = min(f.Max, limit)
	return &boundedFile{File: f}
}

type boundedFile struct {
	File

	size int64 // the number of bytes read so far
}

func (f *boundedFile) Read(buffer []byte) (int, error) {
	n, err := f.Content.Read(buffer)
	f.size += int64(n)
	switch {
	case f.size > f.Max:
		return 0, s3error.ErrEntityTooLarge.About("MaxSizeAllowed", strconv.FormatInt(f.Max, 10))
	case errors.Is(err, io.EOF) && f.size < f.Min:
		return 0, s3error.ErrEntityTooSmall.About("ProposedSize", strconv.FormatInt(f.size, 10)).
			About("MinSizeAllowed", strconv.FormatInt(f.Min, 10))
	}
	return n, err
}
