package gcs

import (
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// moveObject gives an object another name, in one step.
func (s *Service) moveObject(x *exchange) error {
	from, to := x.target.sourceObject, x.target.object
	if from == to {
		return failure.ErrInvalid.With("The source and the destination of a move must differ")
	}
	target, err := conditionsOf(x)
	if err != nil {
		return err
	}
	source, err := sourceConditionsOf(x)
	if err != nil {
		return err
	}
	v, err := x.bucket.Move(from, to, source, target, func(v *objects.Version) (objects.Draft, error) {
		d := v.Draft()
		o, err := objectOf(x.target.bucket, v)
		if err != nil {
			return d, err
		}
		a := o.settable(x.target.bucket, to)
		d.Attributes, err = a.stored(a.Updated)
		return d, err
	})
	if err != nil {
		return gone(err, x.target.bucket, from)
	}
	moved, err := objectOf(x.target.bucket, v)
	if err != nil {
		return err
	}
	return x.sendObject(moved)
}
