package rclone

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/plain"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

func (s *session) expect(ctx context.Context, key string, want []byte, args ...string) error {
	got, err := s.get(ctx, key, args...)
	if err != nil {
		return err
	}
	return check.Content(got, want)
}

// up copies a file of its own length, as opposed to put.
func (s *session) up(ctx context.Context, key string, content []byte, args ...string) error {
	if err := tree.Write(s.dir, map[string][]byte{"up": content}); err != nil {
		return err
	}
	_, err := s.Run(ctx, append([]string{"copyto", filepath.Join(s.dir, "up"), s.remote(key)}, args...)...)
	return err
}

func (s *session) putGet(ctx context.Context) error {
	for key, size := range map[string]int{"put-get/small": sample.Small, "put-get/empty": 0} {
		content := sample.Content(1, size)
		if err := s.up(ctx, key, content); err != nil {
			return err
		}
		if err := s.expect(ctx, key, content); err != nil {
			return err
		}
	}
	return nil
}

// entry is what lsjson says of an object.
type entry struct {
	Size     int               `json:"Size"`
	Hashes   map[string]string `json:"Hashes"`
	Metadata map[string]string `json:"Metadata"`
}

func (s *session) stat(ctx context.Context, key string) (entry, error) {
	var got entry
	out, err := s.Run(ctx, "lsjson", "--stat", "--hash", "--metadata", s.remote(key))
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return got, fmt.Errorf("answer %q: %w", out, err)
	}
	return got, nil
}

func (s *session) head(ctx context.Context) error {
	if err := s.up(ctx, "head", []byte("head")); err != nil {
		return err
	}
	got, err := s.stat(ctx, "head")
	if err != nil {
		return err
	}
	if err := check.Equal("the size", got.Size, 4); err != nil {
		return err
	}
	return check.Equal("the MD5", got.Hashes["md5"], "96e89a298e0a9f469b9ae458d6afae9f")
}

func (s *session) delete(ctx context.Context) error {
	if err := s.up(ctx, "delete/it", nil); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "deletefile", s.remote("delete/it")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "delete")
	if err != nil {
		return err
	}
	return check.Keys(got, nil)
}

func (s *session) ranges(ctx context.Context) error {
	content := sample.Content(2, sample.Small)
	if err := s.up(ctx, "range", content); err != nil {
		return err
	}
	if err := s.expect(ctx, "range", content[2:6], "--offset", "2", "--count", "4"); err != nil {
		return err
	}
	return s.expect(ctx, "range", content[len(content)-10:], "--tail", "10")
}

func (s *session) copy(ctx context.Context) error {
	return s.copied(ctx, "copy", sample.Content(3, sample.Small))
}

// copyParts has rclone copy in parts what it would copy at once up to 5 GiB.
func (s *session) copyParts(ctx context.Context) error {
	return s.copied(ctx, "copy-parts", sample.Content(4, sample.Parts), "--s3-copy-cutoff", "6Mi", "--s3-upload-cutoff", "6Mi")
}

func (s *session) copied(ctx context.Context, name string, content []byte, args ...string) error {
	if err := s.up(ctx, name+"/source", content, args...); err != nil {
		return err
	}
	if _, err := s.Run(ctx, append([]string{"copyto", s.remote(name + "/source"), s.remote(name + "/copy")}, args...)...); err != nil {
		return err
	}
	return s.expect(ctx, name+"/copy", content)
}

func (s *session) multipart(ctx context.Context) error {
	content := sample.Content(5, sample.Multipart)
	if err := s.up(ctx, "multipart/it", content, "--s3-upload-cutoff", "6Mi"); err != nil {
		return err
	}
	// rclone compares with the MD5 that it left in the metadata.
	if _, err := s.Run(ctx, "copyto", s.remote("multipart/it"), filepath.Join(s.dir, "down")); err != nil {
		return err
	}
	if err := tree.ExpectFile(filepath.Join(s.dir, "down"), content); err != nil {
		return err
	}
	_, err := s.Run(ctx, "purge", s.remote("multipart"))
	return err
}

func (s *session) stream(ctx context.Context) error {
	// More than what rclone reads ahead to know the length.
	content := sample.Content(6, 300<<10)
	if err := s.put(ctx, "stream", content); err != nil {
		return err
	}
	return s.expect(ctx, "stream", content)
}

func (s *session) move(ctx context.Context) error {
	if err := s.up(ctx, "move/from", []byte("moved")); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "moveto", s.remote("move/from"), s.remote("move/to")); err != nil {
		return err
	}
	if err := s.expect(ctx, "move/to", []byte("moved")); err != nil {
		return err
	}
	got, err := s.keys(ctx, "move")
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"to"})
}

func (s *session) metadata(ctx context.Context) error {
	if err := s.up(ctx, "metadata", []byte("m"), "--metadata", "--metadata-set", "colour=blue"); err != nil {
		return err
	}
	got, err := s.stat(ctx, "metadata")
	if err != nil {
		return err
	}
	if err := check.Equal("the metadata", got.Metadata["colour"], "blue"); err != nil {
		return err
	}
	if err := s.up(ctx, "metadata", []byte("other"), "--metadata", "--metadata-set", "size=big"); err != nil {
		return err
	}
	if got, err = s.stat(ctx, "metadata"); err != nil {
		return err
	}
	return check.Equal("the metadata", got.Metadata["size"]+got.Metadata["colour"], "big")
}

func (s *session) headers(ctx context.Context) error {
	if err := s.up(ctx, "headers", []byte("h"), "--header-upload", "Cache-Control: max-age=60",
		"--header-upload", `Content-Disposition: attachment; filename="a b.txt"`); err != nil {
		return err
	}
	got, err := s.stat(ctx, "headers")
	if err != nil {
		return err
	}
	return check.Equal("what came back", got.Metadata["cache-control"]+" "+got.Metadata["content-disposition"],
		`max-age=60 attachment; filename="a b.txt"`)
}

func (s *session) presignedGet(ctx context.Context) error {
	content := sample.Content(7, sample.Small)
	if err := s.up(ctx, "presigned get", content); err != nil {
		return err
	}
	out, err := s.Run(ctx, "link", s.remote("presigned get"), "--expire", "1m")
	if err != nil {
		return err
	}
	return plain.Get(ctx, s.Secret, s.Proxy, strings.TrimSpace(out), content)
}
