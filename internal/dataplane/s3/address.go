package s3

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// resolve finds bucket and key for all later phases, in the Host header and the path: both are
// signed. Keys are not cleaned: "a//b" and "../x" are ordinary keys.
func (s *Service) resolve(x *s3exchange.Exchange) error {
	bucket, key, err := s.hosts.locate(x.R)
	if err != nil {
		return err
	}
	x.Bucket, x.Key, x.Level = bucket, key, levelOf(bucket, key)
	return nil
}

// locate returns bucket and key of a request, in virtual-host style and in path style.
func (h hosts) locate(r *http.Request) (bucket, key string, err error) {
	bucket, virtual := h.bucket(r.Host)
	switch {
	case !virtual:
		return splitPath(r.URL.Path)
	case !strings.HasPrefix(r.URL.Path, "/"):
		return "", "", s3error.ErrInvalidURI
	case fakedriver.ValidateBucketName(bucket) != nil:
		return "", "", s3error.ErrInvalidBucketName.About("BucketName", bucket)
	}
	return splitPath("/" + bucket + r.URL.Path)
}

func splitPath(path string) (bucket, key string, err error) {
	if !strings.HasPrefix(path, "/") || !isKey(path) {
		return "", "", s3error.ErrInvalidURI
	}
	bucket, key, _ = strings.Cut(path[1:], "/")
	switch {
	case bucket == "" && path != "/":
		return "", "", s3error.ErrInvalidURI
	case len(key) > s3exchange.MaxKeyBytes:
		return "", "", s3error.ErrKeyTooLong
	}
	return bucket, key, nil
}

// isKey reports whether a key can have all characters: the signature library does not distinguish
// bytes that are not UTF-8, and no document can contain NUL.
func isKey(path string) bool { return utf8.ValidString(path) && !strings.Contains(path, "\x00") }

func levelOf(bucket, key string) s3op.Level {
	switch {
	case bucket == "":
		return s3op.Service
	case key == "":
		return s3op.Bucket
	default:
		return s3op.Object
	}
}

// parseCopySource reads the header X-Amz-Copy-Source: a path, with or without a leading slash,
// percent-encoded in whole or in part. A plus is a space, as in S3.
func parseCopySource(header string) (s3exchange.Source, error) {
	raw, query, _ := strings.Cut(header, "?")
	version, ok := strings.CutPrefix(query, "versionId=")
	if query != "" && (!ok || version == "" || strings.Contains(version, "&")) {
		return s3exchange.Source{}, s3error.ErrInvalidArgument.With("Copy Source has a query other than ?versionId=")
	}
	path, err := url.QueryUnescape(raw)
	if err != nil {
		return s3exchange.Source{}, s3error.ErrInvalidArgument.With("Copy Source must be URL-encoded")
	}
	bucket, key, err := splitPath("/" + strings.TrimPrefix(path, "/"))
	if err != nil || bucket == "" || key == "" {
		return s3exchange.Source{}, s3error.ErrInvalidArgument.With("Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	}
	return s3exchange.Source{Bucket: bucket, Key: key, Version: version}, nil
}
