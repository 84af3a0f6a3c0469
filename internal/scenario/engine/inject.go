package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// inject adds a fault, which stays until a heal step or the end of the scenario.
func (r *run) inject(ctx context.Context, s *spec.Step) (any, error) {
	text := func(t spec.Text) (string, error) { return r.variables.Text(ctx, t) }
	value := func(v *spec.Value) (any, error) { return r.variables.Evaluate(ctx, v) }
	f, err := s.Inject.Evaluate(text, value)
	if err != nil {
		return nil, err
	}
	f.Name = r.scoped(f.Name)
	f.Component = r.componentNamed(f.Component)
	f.Object = r.inNamespace(f)
	r.mu.Lock()
	_, reached := r.marks[f.Match.Since]
	r.mu.Unlock()
	f.Match.Since, f.Match.Until = r.scopedMark(f.Match.Since), r.scopedMark(f.Match.Until)
	f.AsOf = r.scopedMark(f.AsOf)
	if reached { // the fault is active at once
		f.Match.Since = ""
	}
	if err := operations.CheckComponentAt(f.Seam, f.Component); err != nil {
		return nil, err
	}
	mark := r.engine.journal.Mark()
	if err := r.engine.emulator.Faults().Add(f); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, injection{f.Name, s, mark})
	return nil, nil
}

// inNamespace returns the object of an interference, in the scenario's namespace unless the
// scenario names another.
func (r *run) inNamespace(f fault.Fault) string {
	kind, namespace, name := f.Target()
	if namespace != "" || !fault.IsNamespaced(kind) {
		return f.Object
	}
	return kind + "/" + r.namespace + "/" + name
}

// scopedMark returns the name that faults use for a mark of the scenario.
func (r *run) scopedMark(name string) string {
	if name == "" {
		return ""
	}
	return r.scoped(name)
}

func (r *run) heal(ctx context.Context, s *spec.Step) (any, error) {
	if len(*s.Heal) == 0 {
		r.awaitFaults(ctx, r.injections())
		return nil, r.healAll()
	}
	for _, text := range *s.Heal {
		name, err := r.variables.Text(ctx, text)
		if err != nil {
			return nil, err
		}
		name = r.scoped(name)
		r.awaitFaults(ctx, slices.DeleteFunc(r.injections(), func(i injection) bool { return i.name != name }))
		if err := r.healOne(name); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// injections returns the active faults.
func (r *run) injections() []injection {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.faults)
}

// healOne removes a fault of the scenario, which must have been applied to an operation.
func (r *run) healOne(name string) error {
	r.mu.Lock()
	var of injection
	r.faults = slices.DeleteFunc(r.faults, func(i injection) bool {
		if i.name == name {
			of = i
		}
		return i.name == name
	})
	r.mu.Unlock()
	ended, err := r.engine.emulator.Faults().End(name)
	if err != nil {
		return err
	}
	return r.unapplied(of, ended)
}

// healAll removes all faults of the scenario. Some may be removed already.
func (r *run) healAll() error {
	var failed []error
	for _, i := range r.injections() {
		if err := r.healOne(i.name); !errors.Is(err, fault.ErrUnknown) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
