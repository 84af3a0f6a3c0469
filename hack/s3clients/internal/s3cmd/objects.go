package s3cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/refclient"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

func (s *session) putGet(ctx context.Context) error {
	for key, size := range map[string]int{"put-get/small": sample.Small, "put-get/empty": 0} {
		content := sample.Content(1, size)
		if err := s.put(ctx, key, content); err != nil {
			return err
		}
		if err := s.expect(ctx, key, content); err != nil {
			return err
		}
	}
	return nil
}

// info sees that s3cmd info says each of the lines.
func (s *session) info(ctx context.Context, key string, lines ...string) (string, error) {
	out, err := s.Run(ctx, "info", s.url(key))
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), line) {
			return "", fmt.Errorf("info does not say %q: %s", line, out)
		}
	}
	return out, nil
}

func (s *session) head(ctx context.Context) error {
	if err := s.put(ctx, "head", []byte("head")); err != nil {
		return err
	}
	_, err := s.info(ctx, "head", "File size: 4", "MD5 sum: 96e89a298e0a9f469b9ae458d6afae9f")
	return err
}

func (s *session) delete(ctx context.Context) error {
	if err := s.put(ctx, "delete", nil); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "del", s.url("delete")); err != nil {
		return err
	}
	_, err := s.Run(ctx, "info", s.url("delete"))
	return check.Rejected(err, "404")
}

// ranges has s3cmd go on with a file of which it has the beginning.
func (s *session) ranges(ctx context.Context) error {
	content := sample.Content(2, sample.Small)
	if err := s.put(ctx, "range", content); err != nil {
		return err
	}
	part := filepath.Join(s.dir, "part")
	if err := os.WriteFile(part, content[:100], 0o600); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "get", "--continue", s.url("range"), part); err != nil {
		return err
	}
	return tree.ExpectFile(part, content)
}

func (s *session) copy(ctx context.Context) error {
	return s.copied(ctx, "copy", sample.Content(3, sample.Small))
}

// copyParts copies more than multipart_copy_chunk_size_mb.
func (s *session) copyParts(ctx context.Context) error {
	return s.copied(ctx, "copy-parts", sample.Content(4, sample.Parts))
}

func (s *session) copied(ctx context.Context, name string, content []byte) error {
	if err := s.put(ctx, name+"/source", content); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "cp", s.url(name+"/source"), s.url(name+"/copy")); err != nil {
		return err
	}
	return s.expect(ctx, name+"/copy", content)
}

func (s *session) multipart(ctx context.Context) error {
	content := sample.Content(5, sample.Multipart)
	if err := s.put(ctx, "multipart", content); err != nil {
		return err
	}
	if err := s.expect(ctx, "multipart", content); err != nil {
		return err
	}
	w, err := refclient.New(s.Target)
	if err != nil {
		return err
	}
	head, err := w.Head(ctx, "multipart")
	if err != nil {
		return err
	}
	if !strings.Contains(*head.ETag, "-") {
		return fmt.Errorf("the ETag %s is not one of parts", *head.ETag)
	}
	_, err = s.Run(ctx, "del", s.url("multipart"))
	return err
}

func (s *session) stream(ctx context.Context) error {
	content := sample.Content(6, sample.Small)
	if _, err := s.RunWith(ctx, bytes.NewReader(content), "put", "-", s.url("stream")); err != nil {
		return err
	}
	return s.expect(ctx, "stream", content)
}

func (s *session) move(ctx context.Context) error {
	if err := s.put(ctx, "move/from", []byte("moved")); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "mv", s.url("move/from"), s.url("move/to")); err != nil {
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

func (s *session) metadata(ctx context.Context) error {
	if err := s.put(ctx, "metadata", []byte("m"), "--add-header", "x-amz-meta-colour:blue"); err != nil {
		return err
	}
	if _, err := s.info(ctx, "metadata", "x-amz-meta-colour: blue"); err != nil {
		return err
	}
	if err := s.put(ctx, "metadata", []byte("other"), "--add-header", "x-amz-meta-size:big"); err != nil {
		return err
	}
	said, err := s.info(ctx, "metadata", "x-amz-meta-size: big")
	if err != nil {
		return err
	}
	return check.Equal("being left over", strings.Contains(said, "colour"), false)
}

// headers has another client look: s3cmd does not show them.
func (s *session) headers(ctx context.Context) error {
	if err := s.put(ctx, "headers", []byte("h"), "--add-header", "Cache-Control:max-age=60",
		"--add-header", "Content-Disposition:attachment"); err != nil {
		return err
	}
	w, err := refclient.New(s.Target)
	if err != nil {
		return err
	}
	head, err := w.Head(ctx, "headers")
	if err != nil {
		return err
	}
	if head.CacheControl == nil || head.ContentDisposition == nil {
		return fmt.Errorf("Cache-Control or Content-Disposition did not come back")
	}
	return check.Equal("what came back", *head.CacheControl+" "+*head.ContentDisposition, "max-age=60 attachment")
}
