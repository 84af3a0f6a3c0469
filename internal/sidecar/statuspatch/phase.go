package statuspatch

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// A Phase is one step on the way of a subject, which is a Draft or has one. It
// reports whether the next phase is to be walked. An error ends the walk; a
// finding among the errors goes into the object's conditions.
type Phase[S any] interface {
	Walk(ctx context.Context, subject S) (goOn bool, err error)
}

// Walk goes through phases in their order.
func Walk[S any](ctx context.Context, subject S, phases []Phase[S]) error {
	for _, p := range phases {
		if goOn, err := p.Walk(ctx, subject); err != nil || !goOn {
			return err
		}
	}
	return nil
}

// Report writes the status after a walk that has ended with err: once, and on
// change. An error that is no finding, such as a conflict, is not the user's: it
// changes nothing in the status. A permanent finding becomes a terminal error
// the first time, so that it is logged and counted once.
func (d *Draft[T]) Report(ctx context.Context, action cosievents.Action, err error) error {
	found, isFinding := reasons.As(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !isFinding, d.status(d.Object).LetGo:
		return err
	}
	d.status(d.Object).conclude(found)
	if !d.changed() {
		return err
	}
	if saveErr := d.SaveStatus(ctx, action); saveErr != nil {
		return saveErr
	}
	if isFinding && found.Permanent() {
		return reconcile.TerminalError(found)
	}
	return err
}
