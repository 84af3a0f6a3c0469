package awscli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/refclient"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

// listing is the answer of list-objects-v2.
type listing struct {
	Contents       []struct{ Key string }
	CommonPrefixes []struct{ Prefix string }
}

func (l listing) keys() []string {
	var keys []string
	for _, o := range l.Contents {
		keys = append(keys, o.Key)
	}
	return keys
}

func (s *session) keys(ctx context.Context, prefix string, args ...string) ([]string, error) {
	var got listing
	err := s.api(ctx, &got, "list-objects-v2", append([]string{"--prefix", prefix}, args...)...)
	return got.keys(), err
}

// prepare has objects made by another client, which is quicker.
func (s *session) prepare(ctx context.Context, keys ...string) error {
	return s.prepareContent(ctx, nil, keys...)
}

func (s *session) prepareContent(ctx context.Context, content []byte, keys ...string) error {
	w, err := refclient.New(s.Target)
	if err != nil {
		return err
	}
	return w.Put(ctx, content, keys...)
}

func (s *session) list(ctx context.Context) error {
	if err := s.prepare(ctx, "list/1", "list/2", "list/3"); err != nil {
		return err
	}
	got, err := s.keys(ctx, "list/")
	if err != nil {
		return err
	}
	if err := check.Keys(got, []string{"list/1", "list/2", "list/3"}); err != nil {
		return err
	}
	out, err := s.Run(ctx, "s3", "ls", s.url("list/"))
	if err != nil {
		return err
	}
	return check.Equal("the number of lines", strings.Count(out, "\n"), 3)
}

func (s *session) paginate(ctx context.Context) error {
	want := tree.Many("pages/", 5)
	if err := s.prepare(ctx, want...); err != nil {
		return err
	}
	got, err := s.keys(ctx, "pages/", "--page-size", "2")
	if err != nil {
		return err
	}
	return check.Keys(got, want)
}

func (s *session) delimiter(ctx context.Context) error {
	if err := s.prepare(ctx, "tree/a/1", "tree/a/2", "tree/a/3", "tree/b", "tree/c/1", "tree/c/2", "tree/d"); err != nil {
		return err
	}
	for _, size := range []string{"1", "1000"} {
		var got listing
		if err := s.api(ctx, &got, "list-objects-v2", "--prefix", "tree/", "--delimiter", "/", "--page-size", size); err != nil {
			return err
		}
		all := got.keys()
		for _, p := range got.CommonPrefixes {
			all = append(all, p.Prefix)
		}
		if err := check.SameKeys(all, []string{"tree/a/", "tree/b", "tree/c/", "tree/d"}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) listBuckets(ctx context.Context) error {
	out, err := s.Run(ctx, "s3api", "list-buckets", "--query", "Buckets[].Name", "--output", "text")
	if err != nil {
		return err
	}
	return check.Keys(strings.Fields(out), []string{s.bucket})
}

func (s *session) deleteMany(ctx context.Context) error {
	if err := s.prepare(ctx, "delete-many/1", "delete-many/2", "delete-many/3"); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "delete-objects", "--delete", "Objects=[{Key=delete-many/1},{Key=delete-many/2}]"); err != nil {
		return err
	}
	got, err := s.keys(ctx, "delete-many/")
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"delete-many/3"})
}

func (s *session) move(ctx context.Context) error {
	if err := s.prepareContent(ctx, []byte("moved"), "move/from"); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "s3", "mv", s.url("move/from"), s.url("move/to")); err != nil {
		return err
	}
	if err := s.expect(ctx, "move/to", []byte("moved")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "move/")
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"move/to"})
}

func (s *session) sync(ctx context.Context) error { return s.upAndDown(ctx, "sync", tree.Plain()) }

// oddKeys has the names that files can have go up and down, and the others one
// by one.
func (s *session) oddKeys(ctx context.Context) error {
	files := tree.Odd()
	files["control\x01\x1f"] = []byte("c")
	if err := s.upAndDown(ctx, "odd", files); err != nil {
		return err
	}
	for _, key := range []string{"odder/a//b", "odder/../up"} {
		if err := s.put(ctx, key, []byte(key)); err != nil {
			return err
		}
		if err := s.expect(ctx, key, []byte(key)); err != nil {
			return err
		}
	}
	got, err := s.keys(ctx, "odder/")
	if err != nil {
		return err
	}
	if err := check.Keys(got, []string{"odder/../up", "odder/a//b"}); err != nil {
		return err
	}
	for _, prefix := range []string{"odd/", "odder/"} {
		if _, err := s.Run(ctx, "s3", "rm", "--recursive", s.url(prefix)); err != nil {
			return err
		}
	}
	got, err = s.keys(ctx, "odd")
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
	if err := os.MkdirAll(down, 0o700); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "s3", "sync", up, s.url(name)); err != nil {
		return err
	}
	again, err := s.Run(ctx, "s3", "sync", up, s.url(name))
	if err != nil {
		return err
	}
	if err := check.Equal("what is moved again", again, ""); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "s3", "sync", s.url(name), down); err != nil {
		return err
	}
	return tree.Expect(down, files)
}
