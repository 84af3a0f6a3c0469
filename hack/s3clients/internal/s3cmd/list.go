package s3cmd

import (
	"context"
	"path/filepath"
	"strings"

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
	got, err := s.keys(ctx, "list/", "--recursive")
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"list/1", "list/2", "list/3"})
}

// paginate lists more than the 1000 keys of a page, whose size s3cmd does not
// let one choose.
func (s *session) paginate(ctx context.Context) error {
	want := tree.Many("pages/", 1003)
	if err := s.prepare(ctx, want...); err != nil {
		return err
	}
	got, err := s.keys(ctx, "pages/", "--recursive")
	if err != nil {
		return err
	}
	return check.Keys(got, want)
}

func (s *session) delimiter(ctx context.Context) error {
	if err := s.prepare(ctx, "tree/a/1", "tree/a/2", "tree/a/3", "tree/b", "tree/c/1", "tree/c/2", "tree/d"); err != nil {
		return err
	}
	got, err := s.keys(ctx, "tree/")
	if err != nil {
		return err
	}
	return check.SameKeys(got, []string{"tree/a/", "tree/b", "tree/c/", "tree/d"})
}

func (s *session) listBuckets(ctx context.Context) error {
	out, err := s.Run(ctx, "ls")
	if err != nil {
		return err
	}
	var got []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		got = append(got, fields[len(fields)-1])
	}
	return check.Keys(got, []string{"s3://" + s.Secret.Bucket()})
}

// deleteMany deletes a prefix, for which s3cmd uses DeleteObjects.
func (s *session) deleteMany(ctx context.Context) error {
	if err := s.prepare(ctx, "delete-many/1", "delete-many/2", "delete-not"); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "del", "--recursive", s.url("delete-many/")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "delete-", "--recursive")
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"delete-not"})
}

func (s *session) sync(ctx context.Context) error { return s.upAndDown(ctx, "sync", tree.Plain()) }

// oddKeys leaves out control characters: s3cmd does not ask for encoded lists,
// and XML has no way to write them.
func (s *session) oddKeys(ctx context.Context) error {
	if err := s.upAndDown(ctx, "odd", tree.Odd()); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "del", "--recursive", s.url("odd/")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "odd/", "--recursive")
	if err != nil {
		return err
	}
	return check.Keys(got, nil)
}

func (s *session) upAndDown(ctx context.Context, name string, files map[string][]byte) error {
	up, down := filepath.Join(s.dir, name+"-up")+"/", filepath.Join(s.dir, name+"-down")+"/"
	if err := tree.Write(up, files); err != nil {
		return err
	}
	if err := tree.Write(down, nil); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "sync", up, s.url(name+"/")); err != nil {
		return err
	}
	again, err := s.Run(ctx, "sync", up, s.url(name+"/"))
	if err != nil {
		return err
	}
	if err := check.Equal("what is moved again", again, ""); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "sync", s.url(name+"/"), down); err != nil {
		return err
	}
	return tree.Expect(down, files)
}
