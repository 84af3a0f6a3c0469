package backend

import (
	"context"
	"slices"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Driver is the backend of a user's driver. Only the driver sees it, so its calls have to tell what
// exists.
type Driver struct {
	Scenario

	Calls *Calls
	Dial  func(context.Context) (*grpc.ClientConn, error)
}

// Change deletes a bucket. A driver has no calls for the other changes.
func (d *Driver) Change(ctx context.Context, asked *spec.Backend) error {
	if asked.DeleteBucket.IsZero() {
		return nil
	}
	name, err := d.Variables.Text(ctx, asked.DeleteBucket)
	if err != nil {
		return err
	}
	d.External.Watcher.MarkExternal(name)
	return d.deleteByStep(ctx, name)
}

// Compare compares the names of the buckets and accounts that exist according to the driver's
// calls with the expected backend. It cannot compare their properties: only the driver sees them.
func (d *Driver) Compare(ctx context.Context, b *spec.Backend) error {
	called := d.Calls.state()
	if err := d.compareCalled(ctx, "bucket", b.Buckets, called.buckets, b.Only); err != nil {
		return err
	}
	return d.compareCalled(ctx, "account", b.Accounts, called.accounts, b.Only)
}

func (d *Driver) compareCalled(ctx context.Context, kind string, expected spec.Named, called map[string]calledBucket, only bool) error {
	got := map[string]any{}
	for id, one := range called {
		got[id] = map[string]any{"id": id}
		if one.name != "" {
			got[one.name] = got[id]
		}
	}
	existence := make(spec.Named, len(expected))
	for i, one := range expected {
		existence[i] = one
		if one.Pattern.Word != spec.Absent {
			existence[i].Pattern = spec.Pattern{Position: one.Pattern.Position, Word: spec.Present}
		}
	}
	if err := d.compare(ctx, kind, existence, got, false); err != nil || !only {
		return err
	}
	return d.onlyCalled(ctx, kind, expected, called)
}

// onlyCalled requires that the driver has no other buckets or accounts of the scenario.
func (d *Driver) onlyCalled(ctx context.Context, kind string, expected spec.Named, called map[string]calledBucket) error {
	var known []string
	for _, one := range expected {
		name, err := d.Variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
	}
	for id, one := range called {
		if !slices.Contains(known, id) && !slices.Contains(known, one.name) && (d.IsOwn(id) || d.IsOwn(one.name)) {
			return &outcome.Failure{
				Message: "unexpected backend " + kind + " \"" + id + "\"", Got: render.YAML(map[string]any{"id": id, "name": one.name}),
			}
		}
	}
	return nil
}

// deleteByStep deletes a bucket of the user's driver by its name or ID, without COSI.
func (d *Driver) deleteByStep(ctx context.Context, name string) error {
	bucket := calledBucket{id: name}
	for _, called := range d.Calls.state().buckets {
		if called.id == name || called.name == name {
			bucket = called
		}
	}
	if err := d.Empty(ctx); err != nil {
		return err
	}
	return d.withDriver(ctx, func(driver cosiv1alpha2.ProvisionerClient) error { return d.deleteCalledBucket(ctx, driver, bucket) })
}
