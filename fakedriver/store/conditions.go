package store

import (
	"net/http"
	"strings"
	"time"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// checkConditions answers the conditions on reads that gofakes3 does not know.
// Clients that download in pieces use If-Match so that all are of one object.
func (s *Store) checkConditions(x *exchange) error {
	match, since := x.r.Header.Get("If-Match"), x.r.Header.Get("If-Unmodified-Since")
	if x.operation.Mutates() || (match == "" && since == "") {
		return nil
	}
	object, err := s.objects.HeadObject(x.bucket, x.key)
	if err != nil {
		return nil // gofakes3 meets the same error, and knows its answer
	}
	defer func() { _ = object.Contents.Close() }()
	switch {
	case match != "" && !matches(match, gofakes3.FormatETag(object.Hash)):
		return s3error.ErrPreconditionFailed
	case match == "" && modifiedAfter(object.Metadata["Last-Modified"], since):
		return s3error.ErrPreconditionFailed
	}
	return nil
}

func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.Trim(candidate, `"`) == strings.Trim(etag, `"`) {
			return true
		}
	}
	return false
}

func modifiedAfter(modified, since string) bool {
	at, err := time.Parse(http.TimeFormat, modified)
	limit, malformed := http.ParseTime(since)
	return err == nil && malformed == nil && at.After(limit)
}
