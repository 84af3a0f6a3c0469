// Package worker lets a program do operations one at a time on request. It exists
// because libraries must run in processes of their own, with the Secret and
// nothing else in their environment, and because starting a process for each
// operation would take too long.
//
// The protocol: a line with the ID of an operation on standard input, answered by
// a line with a JSON object on standard output.
package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

// answer is the line that an operation is answered with.
type answer struct {
	// None is set if the client does not have the operation.
	None bool `json:"none,omitempty"`
	// Error says what was not as it should be.
	Error string `json:"error,omitempty"`
}

// Operations are those that a client has.
type Operations map[operation.ID]func(context.Context) error

// Serve does what is asked for on in, until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, operations Operations) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := json.NewEncoder(out).Encode(do(ctx, operations[operation.ID(lines.Text())])); err != nil {
			return err
		}
	}
	return lines.Err()
}

func do(ctx context.Context, op func(context.Context) error) (a answer) {
	if op == nil {
		return answer{None: true}
	}
	defer func() {
		if p := recover(); p != nil {
			a = answer{Error: fmt.Sprint("panic: ", p)}
		}
	}()
	switch err := op(ctx); {
	case errors.Is(err, client.ErrNone):
		return answer{None: true}
	case err != nil:
		return answer{Error: err.Error()}
	default:
		return answer{}
	}
}
