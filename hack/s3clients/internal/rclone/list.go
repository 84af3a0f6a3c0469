package rclone

import (
	"context"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/refclient"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

// prepare has objects for listing made by another client, which is quicker.
func (s *session) prepare(ctx context.Context, keys ...string) error {
	w, err := refclient.New(s.Target)
	if err != nil {
		return err
	}
	return w.Put(ctx, nil, keys...)
}

func (s *session) list(ctx context.Context) error {
	if err := s.prepare(ctx, "list/1", "list/2", "list/3"); err != nil {
		return err
	}
	for _, version := range []string{"1", "2"} {
		got, err := s.keys(ctx, "list", "--s3-list-version", version)
		if err != nil {
			return err
		}
		if err := check.Keys(got, []string{"1", "2", "3"}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) paginate(ctx context.Context) error {
	if err := s.prepare(ctx, tree.Many("pages/", 5)...); err != nil {
		return err
	}
	for _, version := range []string{"1", "2"} {
		got, err := s.keys(ctx, "pages", "--s3-list-chunk", "2", "--s3-list-version", version, "--recursive", "--fast-list")
		if err != nil {
			return err
		}
		if err := check.Keys(got, tree.Many("", 5)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) delimiter(ctx context.Context) error {
	if err := s.prepare(ctx, "tree/a/1", "tree/a/2", "tree/a/3", "tree/b", "tree/c/1", "tree/c/2", "tree/d"); err != nil {
		return err
	}
	for _, version := range []string{"1", "2"} {
		for _, size := range []string{"1", "1000"} {
			got, err := s.keys(ctx, "tree", "--s3-list-chunk", size, "--s3-list-version", version)
			if err != nil {
				return err
			}
			if err := check.SameKeys(got, []string{"a/", "b", "c/", "d"}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) listBuckets(ctx context.Context) error {
	out, err := s.Run(ctx, "lsf", "s3:")
	if err != nil {
		return err
	}
	return check.Equal("the list", out, s.Secret.Bucket()+"/\n")
}

func (s *session) sync(ctx context.Context) error { return s.upAndDown(ctx, "sync", tree.Plain()) }

func (s *session) oddKeys(ctx context.Context) error {
	files := tree.Odd()
	files["control\x01\x1f"] = []byte("c")
	if err := s.upAndDown(ctx, "odd", files); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "purge", s.remote("odd")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "odd")
	if err != nil {
		return err
	}
	return check.Keys(got, nil)
}

func (s *session) upAndDown(ctx context.Context, name string, files map[string][]byte) error {
	up, down := filepath.Join(s.dir, name+"-up"), filepath.Join(s.dir, name+"-down")
	if err := tree.Write(up, files); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"sync", up, s.remote(name)},
		{"check", up, s.remote(name)},
		{"sync", s.remote(name), down},
	} {
		if _, err := s.Run(ctx, args...); err != nil {
			return err
		}
	}
	if err := tree.Expect(down, files); err != nil {
		return err
	}
	moved, err := s.Run(ctx, "copy", "--dry-run", "--use-json-log", up, s.remote(name))
	if err != nil {
		return err
	}
	return check.Equal("what is moved again", moved, "")
}
