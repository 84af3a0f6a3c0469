package backend

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/storeadmin"
)

// changeContents makes the changes of the step that need more than a name.
func (s *Store) changeContents(ctx context.Context, asked *spec.Backend) error {
	if asked.Put != nil {
		if err := s.putExternal(ctx, asked.Put); err != nil {
			return err
		}
	}
	if asked.DeleteObject != nil {
		if err := s.deleteExternal(ctx, asked.DeleteObject); err != nil {
			return err
		}
	}
	if asked.SetPolicy != nil {
		return s.setPolicy(ctx, asked.SetPolicy)
	}
	return nil
}

func (s *Store) compareObjects(ctx context.Context, expected spec.Named) error {
	for _, one := range expected {
		bucket, err := s.Variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		got, err := s.objectsIn(ctx, bucket)
		if err != nil {
			return err
		}
		only := spec.Named{one}
		if err := s.compare(ctx, "contents of bucket", only, map[string]any{bucket: got}, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) objectsIn(ctx context.Context, bucket string) (map[string]any, error) {
	objects := map[string]any{}
	err := s.Store.Use(ctx, bucket, func(a storeadmin.Client) error {
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

func (s *Store) putExternal(ctx context.Context, asked *spec.PutObject) error {
	content, err := s.Variables.Text(ctx, asked.Content)
	if err != nil {
		return err
	}
	if err := s.Puts.Add(len(content)); err != nil {
		return err
	}
	return s.atPlace(ctx, "put", spec.Place{Bucket: asked.Bucket, Key: asked.Key}, func(a storeadmin.Client, key string) error {
		return a.Put(ctx, key, []byte(content))
	})
}

// deleteExternal deletes an object as the administrator, if it exists.
func (s *Store) deleteExternal(ctx context.Context, asked *spec.Place) error {
	return s.atPlace(ctx, "delete", *asked, func(a storeadmin.Client, key string) error {
		if err := a.Delete(ctx, key); !storeadmin.IsNoObject(err) {
			return err
		}
		return nil
	})
}

func (s *Store) atPlace(ctx context.Context, what string, place spec.Place, do func(a storeadmin.Client, key string) error) error {
	bucket, err := s.Variables.Text(ctx, place.Bucket)
	if err != nil {
		return err
	}
	key, err := s.Variables.Text(ctx, place.Key)
	if err != nil {
		return err
	}
	err = s.Store.Use(ctx, bucket, func(a storeadmin.Client) error { return do(a, key) })
	if err != nil {
		return fmt.Errorf("%s object %s in bucket %s: %w", what, key, bucket, err)
	}
	return nil
}
