package answers

import (
	"cmp"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const maxPageSize = 1000

func (a *Answers) uploadPart(x *s3exchange.Exchange) error {
	u, err := x.Contents.Upload(x.Key, x.Query.Get("uploadId"))
	if err != nil {
		return err
	}
	if err := x.CheckDigest(u.Attributes.Lock, "Put Part"); err != nil {
		return err
	}
	part, err := putPart(x, partContent{Content: x.Content})
	if err != nil {
		return err
	}
	x.TellEncryption(u.StandardHeaders())
	x.W.Header().Set("Etag", `"`+part.ETag.String()+`"`)
	if !part.Checksum.IsZero() {
		x.W.Header().Set(part.Checksum.Algorithm.Header(), part.Checksum.String())
	}
	return nil
}

type partContent struct {
	s3exchange.Content

	copied bool // from another object, so that no client has seen it
}

// putPart stores a content as a part, with the kind of checksum that its upload selected.
func putPart(x *s3exchange.Exchange, c partContent) (objects.Part, error) {
	number, err := x.PartNumber()
	if err != nil {
		return objects.Part{}, err
	}
	u, err := x.Contents.Upload(x.Key, x.Query.Get("uploadId"))
	if err != nil {
		return objects.Part{}, err
	}
	if c.Checksum, err = checksumFor(u, c); err != nil {
		return objects.Part{}, err
	}
	return x.Contents.PutPart(x.Key, u.ID, objects.Part{Number: number, ETag: c.ETag, Checksum: c.Checksum, Body: c.Body})
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
