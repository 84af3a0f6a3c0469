package rclone

import (
	"context"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// putTwice writes two versions into a directory, and returns what rclone calls
// them, the newest first.
func (s *session) putTwice(ctx context.Context, dir string) ([]string, error) {
	for _, content := range []string{"first", "second"} {
		if err := s.up(ctx, dir+"/it.txt", []byte(content)); err != nil {
			return nil, err
		}
	}
	return s.keys(ctx, dir, "--s3-versions")
}

func (s *session) versions(ctx context.Context) error {
	got, err := s.putTwice(ctx, "versions")
	if err != nil {
		return err
	}
	if len(got) != 2 {
		return fmt.Errorf("listed %q, not two versions", got)
	}
	return nil
}

func (s *session) oldVersion(ctx context.Context) error {
	got, err := s.putTwice(ctx, "old-version")
	if err != nil {
		return err
	}
	for _, name := range got {
		if strings.HasPrefix(name, "it-v") {
			return s.expect(ctx, "old-version", []byte("first"), "--s3-versions", "--include", name)
		}
	}
	return check.Keys(got, []string{"it.txt", "it-v….txt"})
}
