package application

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func (a *Application) content(ctx context.Context, asked *spec.S3) ([]byte, error) {
	if asked.Content == nil {
		return bytes.Repeat([]byte("cosi"), int(asked.Size)/4+1)[:asked.Size], nil
	}
	text, err := a.Variables.Text(ctx, *asked.Content)
	return []byte(text), err
}

// toPut returns the content of an object to put, and counts the object.
func (a *Application) toPut(ctx context.Context, asked *spec.S3) ([]byte, error) {
	content, err := a.content(ctx, asked)
	if err == nil {
		err = a.Puts.Add(len(content))
	}
	return content, err
}

func (a *Application) compareContent(ctx context.Context, asked *spec.S3, body io.Reader) (any, error) {
	got, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if asked.Content == nil && asked.Size == 0 {
		return string(got), nil
	}
	want, err := a.content(ctx, asked)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(want, got) {
		return nil, fmt.Errorf("unexpected object content: %d bytes, want %d", len(got), len(want))
	}
	return string(got), nil
}
