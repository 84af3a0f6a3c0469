package awscli

import (
	"bytes"
	"context"
	"strconv"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
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

func (s *session) head(ctx context.Context) error {
	var put, got struct {
		ETag          string
		ContentLength int
	}
	path, err := s.upload([]byte("head"))
	if err != nil {
		return err
	}
	if err := s.api(ctx, &put, "put-object", "--key", "head", "--body", path); err != nil {
		return err
	}
	if err := s.api(ctx, &got, "head-object", "--key", "head"); err != nil {
		return err
	}
	put.ContentLength = 4
	return check.Equal("the answer", got, put)
}

func (s *session) delete(ctx context.Context) error {
	if err := s.prepare(ctx, "delete"); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "delete-object", "--key", "delete"); err != nil {
		return err
	}
	return check.Rejected(s.expect(ctx, "delete", nil), "NoSuchKey")
}

func (s *session) ranges(ctx context.Context) error {
	content := sample.Content(2, sample.Small)
	if err := s.prepareContent(ctx, content, "range"); err != nil {
		return err
	}
	for of, want := range map[string][]byte{"bytes=2-5": content[2:6], "bytes=-10": content[len(content)-10:]} {
		if err := s.expect(ctx, "range", want, "--range", of); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) copy(ctx context.Context) error {
	content := sample.Content(3, sample.Small)
	if err := s.put(ctx, "copy/source", content, "--metadata", "old=1"); err != nil {
		return err
	}
	if _, err := s.Run(ctx, "s3", "cp", s.url("copy/source"), s.url("copy/copy")); err != nil {
		return err
	}
	if err := s.expect(ctx, "copy/copy", content); err != nil {
		return err
	}
	if err := s.expectMetadata(ctx, "copy/copy", map[string]string{"old": "1"}); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "copy-object", "--key", "copy/source", "--copy-source", s.bucket+"/copy/source",
		"--metadata-directive", "REPLACE", "--metadata", "new=2"); err != nil {
		return err
	}
	return s.expectMetadata(ctx, "copy/source", map[string]string{"new": "2"})
}

// copyParts copies more than the 8 MiB from which on the program copies in parts.
func (s *session) copyParts(ctx context.Context) error {
	content := sample.Content(4, sample.Parts)
	path, err := s.upload(content)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"s3", "cp", path, s.url("copy-parts/source"), "--metadata", "colour=blue"},
		{"s3", "cp", s.url("copy-parts/source"), s.url("copy-parts/copy")},
	} {
		if _, err := s.Run(ctx, args...); err != nil {
			return err
		}
	}
	if err := s.expect(ctx, "copy-parts/copy", content); err != nil {
		return err
	}
	return s.expectMetadata(ctx, "copy-parts/copy", map[string]string{"colour": "blue"})
}

func (s *session) multipart(ctx context.Context) error {
	content := sample.Content(5, sample.Multipart)
	path, err := s.upload(content)
	if err != nil {
		return err
	}
	if _, err := s.Run(ctx, "s3", "cp", path, s.url("multipart")); err != nil {
		return err
	}
	var head, list struct {
		ETag     string
		Contents []struct{ ETag string }
	}
	if err := s.api(ctx, &head, "head-object", "--key", "multipart"); err != nil {
		return err
	}
	if err := s.api(ctx, &list, "list-objects-v2", "--prefix", "multipart"); err != nil {
		return err
	}
	if err := check.Equal("the ETag in the list", list.Contents[0].ETag, head.ETag); err != nil {
		return err
	}
	if parts := strconv.Itoa(sample.Multipart / (8 << 20)); !bytes.HasSuffix([]byte(head.ETag), []byte("-"+parts+`"`)) {
		return check.Equal("the ETag", head.ETag, "…-"+parts)
	}
	out, err := s.Run(ctx, "s3", "cp", s.url("multipart"), "-")
	if err != nil {
		return err
	}
	if err := check.Content([]byte(out), content); err != nil {
		return err
	}
	_, err = s.Run(ctx, "s3", "rm", s.url("multipart"))
	return err
}

func (s *session) stream(ctx context.Context) error {
	content := sample.Content(6, sample.Small)
	if _, err := s.RunWith(ctx, bytes.NewReader(content), "s3", "cp", "-", s.url("stream")); err != nil {
		return err
	}
	return s.expect(ctx, "stream", content)
}
