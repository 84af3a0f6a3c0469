package variables

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Evaluate converts a value of the document to JSON, and evaluates its expressions.
func (s *Set) Evaluate(ctx context.Context, v *spec.Value) (any, error) {
	switch {
	case v.IsMapping():
		return s.object(ctx, v.Fields)
	case v.IsList():
		return s.list(ctx, v.Items)
	}
	if text, ok := v.Scalar.(spec.Text); ok {
		return text.Eval(s.Now(ctx))
	}
	return v.Scalar, nil
}

func (s *Set) object(ctx context.Context, fields []spec.Field) (any, error) {
	object := make(map[string]any, len(fields))
	for i := range fields {
		name, err := fields[i].NameWith(s.Now(ctx))
		if err != nil {
			return nil, err
		}
		if object[name], err = s.Evaluate(ctx, &fields[i].Value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (s *Set) list(ctx context.Context, values []spec.Value) (any, error) {
	items := make([]any, len(values))
	for i := range values {
		value, err := s.Evaluate(ctx, &values[i])
		if err != nil {
			return nil, err
		}
		items[i] = value
	}
	return items, nil
}
