package engine

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/storeadmin"
)

// changeContents makes the changes of the step that need more than a name.
func (r *run) changeContents(ctx context.Context, asked *spec.Backend) error {
	if asked.Put != nil {
		if err := r.putExternal(ctx, asked.Put); err != nil {
			return err
		}
	}
	if asked.DeleteObject != nil {
		if err := r.deleteExternal(ctx, asked.DeleteObject); err != nil {
			return err
		}
	}
	if asked.SetPolicy != nil {
		return r.setPolicy(ctx, asked.SetPolicy)
	}
	return nil
}

func (r *run) compareObjects(ctx context.Context, expected spec.Named) error {
	for _, one := range expected {
		bucket, err := r.variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		got, err := r.objectsIn(ctx, bucket)
		if err != nil {
			return err
		}
		only := spec.Named{one}
		if err := r.compareBackend(ctx, "contents of bucket", only, map[string]any{bucket: got}, false); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) storeAsAdministrator() storeadmin.Store {
	return storeadmin.Store{Store: r.engine.emulator.Store(), Info: r.engine.emulator.Info()}
}

func (r *run) objectsIn(ctx context.Context, bucket string) (map[string]any, error) {
	objects := map[string]any{}
	err := r.storeAsAdministrator().Use(ctx, bucket, func(a storeadmin.Client) error {
		sizes, err := a.List(ctx)
		for key, size := range sizes {
			objects[key] = map[string]any{"size": size}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the objects in bucket %s: %w", bucket, err)
	}
	return objects, nil
}

func (r *run) putExternal(ctx context.Context, asked *spec.PutObject) error {
	content, err := r.variables.Text(ctx, asked.Content)
	if err != nil {
		return err
	}
	if err := r.puts.Add(len(content)); err != nil {
		return err
	}
	return r.atPlace(ctx, "put", spec.Place{Bucket: asked.Bucket, Key: asked.Key}, func(a storeadmin.Client, key string) error {
		return a.Put(ctx, key, []byte(content))
	})
}

// deleteExternal deletes an object as the administrator, if it exists.
func (r *run) deleteExternal(ctx context.Context, asked *spec.Place) error {
	return r.atPlace(ctx, "delete", *asked, func(a storeadmin.Client, key string) error {
		if err := a.Delete(ctx, key); !storeadmin.IsNoObject(err) {
			return err
		}
		return nil
	})
}

func (r *run) atPlace(ctx context.Context, what string, place spec.Place, do func(a storeadmin.Client, key string) error) error {
	bucket, err := r.variables.Text(ctx, place.Bucket)
	if err != nil {
		return err
	}
	key, err := r.variables.Text(ctx, place.Key)
	if err != nil {
		return err
	}
	err = r.storeAsAdministrator().Use(ctx, bucket, func(a storeadmin.Client) error { return do(a, key) })
	if err != nil {
		return fmt.Errorf("%s object %s in bucket %s: %w", what, key, bucket, err)
	}
	return nil
}
