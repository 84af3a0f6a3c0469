package seam

import (
	"cmp"
	"context"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// call makes a call of the driver to its store, and applies its fault.
func (o *operation) call(ctx context.Context, next func(context.Context) error) error {
	if o.applied == nil {
		return next(ctx)
	}
	if err := o.apply(ctx); err != nil {
		return err
	}
	e := o.effect()
	if e.Fail != "" {
		return storeFailure(e.Fail, e.Message)
	}
	err := next(ctx)
	if e.Duplicate {
		err = next(ctx)
	}
	switch {
	case e.LoseReply == "" && e.Crash != fault.After:
		o.interfere(ctx, true)
		return err
	case err == nil:
		o.event.Response = []byte(`{"happened":true}`)
	default:
		o.event.Response = []byte(`{"happened":false}`)
	}
	if o.crashAfter() {
		return ErrFenced
	}
	return storeFailure(e.LoseReply, e.Message)
}

type storeError struct{ code, text string }

func (e *storeError) Error() string { return cmp.Or(e.text, "the object storage has answered "+e.code) }

// kindError is an error of one of the store's kinds, with its own text.
type kindError struct {
	kind error
	text string
}

func (e *kindError) Error() string { return cmp.Or(e.text, "it "+e.kind.Error()) }
func (e *kindError) Unwrap() error { return e.kind }

var storeKinds = map[string]error{
	"NotExist": fakedriver.ErrNotExist, "Conflict": fakedriver.ErrConflict, "NotEmpty": fakedriver.ErrNotEmpty,
	"Invalid": fakedriver.ErrInvalid, "Limit": fakedriver.ErrLimit, "Closed": fakedriver.ErrClosed,
}

// storeFailure returns the error for a code.
func storeFailure(code, text string) error {
	if kind, ok := storeKinds[code]; ok {
		return &kindError{kind, text}
	}
	return &storeError{code, text}
}
