package awscli

import (
	"context"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// putTwice writes two versions, and returns the ID of the first.
func (s *session) putTwice(ctx context.Context, key string) (first, second string, err error) {
	var ids []string
	for _, content := range []string{"first", "second"} {
		path, err := s.upload([]byte(content))
		if err != nil {
			return "", "", err
		}
		var put struct{ VersionID string }
		if err := s.api(ctx, &put, "put-object", "--key", key, "--body", path); err != nil {
			return "", "", err
		}
		ids = append(ids, put.VersionID)
	}
	return ids[0], ids[1], nil
}

func (s *session) versions(ctx context.Context) error {
	first, second, err := s.putTwice(ctx, "versions")
	if err != nil {
		return err
	}
	var got struct {
		Versions []struct {
			VersionID string
			IsLatest  bool
		}
	}
	if err := s.api(ctx, &got, "list-object-versions", "--prefix", "versions", "--page-size", "1"); err != nil {
		return err
	}
	var ids []string
	for i, v := range got.Versions {
		ids = append(ids, v.VersionID)
		if err := check.Equal("being the latest", v.IsLatest, i == 0); err != nil {
			return err
		}
	}
	return check.Keys(ids, []string{second, first})
}

func (s *session) oldVersion(ctx context.Context) error {
	first, _, err := s.putTwice(ctx, "old-version")
	if err != nil {
		return err
	}
	if err := s.expect(ctx, "old-version", []byte("first"), "--version-id", first); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "copy-object", "--key", "old-version",
		"--copy-source", s.bucket+"/old-version?versionId="+first); err != nil {
		return err
	}
	return s.expect(ctx, "old-version", []byte("first"))
}

func (s *session) undelete(ctx context.Context) error {
	if err := s.prepareContent(ctx, []byte("second"), "undelete"); err != nil {
		return err
	}
	var marker struct {
		DeleteMarker bool
		VersionID    string
	}
	if err := s.api(ctx, &marker, "delete-object", "--key", "undelete"); err != nil {
		return err
	}
	if err := check.Equal("the delete marker", marker.DeleteMarker, true); err != nil {
		return err
	}
	if err := check.Rejected(s.expect(ctx, "undelete", nil), "NoSuchKey"); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "delete-object", "--key", "undelete", "--version-id", marker.VersionID); err != nil {
		return err
	}
	return s.expect(ctx, "undelete", []byte("second"))
}
