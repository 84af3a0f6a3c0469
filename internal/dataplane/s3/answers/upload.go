package answers

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const (
	maxPartNumber = 10000
	maxPageSize   = 1000
)

func (x *exchange) partNumber() (int, error) {
	number, err := strconv.Atoi(x.Query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPartNumber {
		return 0, s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive")
	}
	return number, nil
}

func (a *Answers) uploadPart(x *exchange) error {
	u, err := x.contents.Upload(x.Key, x.Query.Get("uploadId"))
	if err != nil {
		return err
	}
	if err := x.checkDigest(u.Attributes.Lock, "Put Part"); err != nil {
		return err
	}
	part, err := x.putPart(partContent{Content: x.Content})
	if err != nil {
		return err
	}
	x.tellEncryption(u.StandardHeaders())
	x.W.Header().Set("Etag", `"`+part.ETag.String()+`"`)
	if !part.Checksum.IsZero() {
		x.W.Header().Set(part.Checksum.Algorithm.Header(), part.Checksum.String())
	}
	return nil
}

type partContent struct {
	Content

	copied bool // from another object, so that no client has seen it
}

// putPart stores a content as a part, with the kind of checksum that its upload selected.
func (x *exchange) putPart(c partContent) (objects.Part, error) {
	number, err := x.partNumber()
	if err != nil {
		return objects.Part{}, err
	}
	u, err := x.contents.Upload(x.Key, x.Query.Get("uploadId"))
	if err != nil {
		return objects.Part{}, err
	}
	if c.Checksum, err = checksumFor(u, c); err != nil {
		return objects.Part{}, err
	}
	return x.contents.PutPart(x.Key, u.ID, objects.Part{Number: number, ETag: c.ETag, Checksum: c.Checksum, Body: c.Body})
}

// checksumFor returns the checksum of a part. For a composite checksum of the object, clients must
// send the parts' checksums; otherwise the store computes them.
func checksumFor(u objects.Upload, c partContent) (checksum.Sum, error) {
	switch {
	case u.Algorithm == checksum.None || u.Algorithm == c.Checksum.Algorithm:
		return c.Checksum, nil
	case c.Checksum.IsZero() && (u.FullObject || c.copied):
		return c.Body.Checksum(u.Algorithm)
	}
	return c.Checksum, s3error.ErrInvalidRequest.With("Checksum Type mismatch occurred, expected checksum Type: " +
		strings.ToLower(u.Algorithm.String()) + ", actual checksum Type: " + cmp.Or(strings.ToLower(c.Checksum.Algorithm.String()), "null"))
}
