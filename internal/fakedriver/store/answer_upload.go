package store

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

const (
	maxPartNumber = 10000
	maxPageSize   = 1000
)

func (x *exchange) partNumber() (int, error) {
	number, err := strconv.Atoi(x.query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPartNumber {
		return 0, s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive")
	}
	return number, nil
}

// uploadPart answers UploadPart.
func (s *Store) uploadPart(x *exchange) error {
	part, err := x.putPart(x.content)
	if err != nil {
		return err
	}
	x.w.Header().Set("Etag", `"`+part.ETag.String()+`"`)
	if !part.Checksum.IsZero() {
		x.w.Header().Set(part.Checksum.Algorithm.Header(), part.Checksum.String())
	}
	return nil
}

// putPart stores a content as a part, with the kind of checksum that its upload
// was begun with.
func (x *exchange) putPart(c content) (objects.Part, error) {
	number, err := x.partNumber()
	if err != nil {
		return objects.Part{}, err
	}
	u, err := x.contents.Upload(x.key, x.query.Get("uploadId"))
	if err != nil {
		return objects.Part{}, err
	}
	if c.sum, err = checksumFor(u, c); err != nil {
		return objects.Part{}, err
	}
	return x.contents.PutPart(x.key, u.ID, objects.Part{Number: number, ETag: c.etag, Checksum: c.sum, Body: c.body})
}

// checksumFor returns the checksum that a part of an upload has. Where the object
// is to have one of the parts', clients must tell the parts'; otherwise the store
// computes what it was not told.
func checksumFor(u objects.Upload, c content) (checksum.Sum, error) {
	switch {
	case u.Algorithm == checksum.None || u.Algorithm == c.sum.Algorithm:
		return c.sum, nil
	case c.sum.IsZero() && (u.FullObject || c.copied):
		return c.body.Checksum(u.Algorithm)
	}
	return c.sum, s3error.ErrInvalidRequest.With("Checksum Type mismatch occurred, expected checksum Type: " +
		strings.ToLower(u.Algorithm.String()) + ", actual checksum Type: " + cmp.Or(strings.ToLower(c.sum.Algorithm.String()), "null"))
}
