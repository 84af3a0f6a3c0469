package containerlog

import (
	"bytes"
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Read writes the lines that the options select, and with Follow also later ones until the log ends or ctx is
// done. It flushes out after each part, if out can be flushed.
func (l *Log) Read(ctx context.Context, options *corev1.PodLogOptions, out io.Writer) error {
	p, err := l.from(0)
	if err != nil {
		return err
	}
	s := newSelection(options, out)
	if err := s.write(s.tail(p.lines)); err != nil {
		return ignoreLimit(err)
	}
	for options.Follow && !p.closed {
		select {
		case <-p.changed:
		case <-ctx.Done():
			return nil // the reader has gone
		}
		if p, err = l.from(p.next); err != nil {
			return err
		}
		if err := s.write(p.lines); err != nil {
			return ignoreLimit(err)
		}
	}
	return nil
}

// ignoreLimit returns nil for the end of the output by LimitBytes.
func ignoreLimit(err error) error {
	if err == io.ErrShortWrite { //nolint:errorlint // it is never wrapped
		return nil
	}
	return err
}

// selection writes lines by the options of a reader.
type selection struct {
	options *corev1.PodLogOptions
	since   time.Time
	out     io.Writer
	left    int64 // bytes; negative without limit
}

func newSelection(options *corev1.PodLogOptions, out io.Writer) *selection {
	s := &selection{options: options, out: out, left: -1}
	if options.LimitBytes != nil {
		s.left = *options.LimitBytes
	}
	if options.SinceTime != nil {
		s.since = options.SinceTime.Time
	}
	if options.SinceSeconds != nil {
		s.since = time.Now().Add(-time.Duration(*options.SinceSeconds) * time.Second)
	}
	return s
}

// tail returns the last lines, as many as the options select, of those since their time.
func (s *selection) tail(data []byte) []byte {
	data = since(data, s.since)
	if s.options.TailLines == nil {
		return data
	}
	start := len(data)
	for range *s.options.TailLines {
		if start == 0 {
			break
		}
		start = bytes.LastIndexByte(data[:start-1], '\n') + 1
	}
	return data[start:]
}

// write writes lines. The error is io.ErrShortWrite at the limit.
func (s *selection) write(data []byte) error {
	for line := range bytes.Lines(data) {
		if !s.options.Timestamps {
			_, line, _ = bytes.Cut(line, []byte{' '})
		}
		short := s.left >= 0 && int64(len(line)) >= s.left
		if short {
			line = line[:s.left]
		}
		if _, err := s.out.Write(line); err != nil {
			return err
		}
		if s.left >= 0 {
			s.left -= int64(len(line))
		}
		if short {
			return io.ErrShortWrite
		}
	}
	if flusher, ok := s.out.(interface{ Flush() }); ok {
		flusher.Flush()
	}
	return nil
}

// since returns the lines from a time on.
func since(data []byte, from time.Time) []byte {
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		stamp, _, _ := bytes.Cut(line, []byte{' '})
		if at, err := time.Parse(time.RFC3339Nano, string(stamp)); err == nil && !at.Before(from) {
			return data
		}
		data = rest
	}
	return nil
}
