package objects

import (
	"cmp"
	"crypto/md5" //nolint:gosec // S3's ETags use MD5
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// Completion has the parameters of CompleteUpload.
type Completion struct {
	Parts []CompletedPart
	// Checksum, if not zero, must equal the object's. A composite one may lack the number of parts.
	Checksum checksum.Sum
	// Default is the algorithm of the object's checksum if the upload has none.
	Default checksum.Algorithm
	// Type, if not empty, must equal the type of the upload's checksum; see package checksum.
	Type string
	// Size, if not nil, must equal the object's.
	Size       *int64
	Conditions Conditions
	// Finish completes the object after all checks, if set.
	Finish func(*Draft) error
}

// CompletedPart names a part.
type CompletedPart struct {
	Number int
	ETag   string // without quotes
	// Checksum, if not zero, must equal the part's.
	Checksum checksum.Sum
}

// CompleteUpload creates an object from parts of an upload, and ends the upload. Errors are
// NoSuchUpload, InvalidPart, InvalidPartOrder, EntityTooSmall, BadDigest, InvalidRequest, and the
// errors of Put. After an error the upload continues.
//
// A repeated completion with the same parts returns the object of the first, while it exists: the
// client may have lost the reply.
func (b *Bucket) CompleteUpload(key, id string, c Completion) (*Version, error) {
	var stored *Version
	err := b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			if stored = b.completed(key, id, c.Parts); stored != nil {
				return nil
			}
			return err
		}
		parts, err := u.pick(c.Parts, b.store.options.MinPartBytes)
		if err != nil {
			return err
		}
		draft, err := u.assemble(parts, c.Default)
		if err != nil {
			return err
		}
		if err := c.check(u, draft); err != nil {
			return err
		}
		if c.Finish != nil {
			if err := c.Finish(&draft); err != nil {
				return err
			}
		}
		stored, err = b.put(key, draft, c.Conditions, u)
		return err
	})
	return stored, err
}

// completed returns the version from an upload of these parts, or nil.
func (b *Bucket) completed(key, id string, parts []CompletedPart) *Version {
	v := b.head(key)
	for v != nil && v.upload() != id {
		v = v.older
	}
	if v == nil || len(parts) != len(v.Parts()) {
		return nil
	}
	digests := md5.New() //nolint:gosec // see the import
	for i, part := range parts {
		sum, err := hex.DecodeString(part.ETag)
		if err != nil || part.Number != int(v.Parts()[i].Number) {
			return nil
		}
		digests.Write(sum)
	}
	if [md5.Size]byte(digests.Sum(nil)) != v.ETag.Sum {
		return nil
	}
	return v
}

func (u *upload) pick(named []CompletedPart, minBytes int64) ([]Part, error) {
	if err := u.checkOrder(named); err != nil {
		return nil, err
	}
	parts := make([]Part, 0, len(named))
	for i, name := range named {
		part, err := u.find(name)
		if err != nil {
			return nil, err
		}
		if i < len(named)-1 && part.Body.Size() < minBytes {
			return nil, s3error.ErrEntityTooSmall
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil, s3error.ErrMalformedXML
	}
	return parts, nil
}

// checkOrder checks the numbers of the named parts. With a checksum, they must be 1, 2, 3 and so
// on.
func (u *upload) checkOrder(named []CompletedPart) error {
	for i, name := range named {
		switch {
		case i > 0 && name.Number <= named[i-1].Number:
			return s3error.ErrInvalidPartOrder
		case u.Algorithm != checksum.None && name.Number > i+1:
			return s3error.ErrInvalidPartOrder.With(fmt.Sprintf("The parts of an upload with a checksum must have consecutive numbers from 1. "+
				"Part %d is where part %d must be", name.Number, i+1))
		}
	}
	return nil
}

// find returns the named part, if its ETag and checksum match.
func (u *upload) find(name CompletedPart) (Part, error) {
	part, ok := u.part(name.Number)
	switch {
	case !name.Checksum.IsZero() && u.Algorithm != checksum.None && name.Checksum.Algorithm != u.Algorithm:
		return Part{}, s3error.ErrBadDigest.With("The upload has checksums of another algorithm than part " + strconv.Itoa(name.Number))
	case !ok || part.ETag.String() != name.ETag,
		!name.Checksum.IsZero() && name.Checksum != part.Checksum:
		return Part{}, s3error.ErrInvalidPart
	case part.Body.damage() != nil:
		return Part{}, fmt.Errorf("%w: %w", s3error.ErrInternalError.With("The content of part "+strconv.Itoa(name.Number)+
			" is damaged on the disk of the store. The log of the store names the file. Upload the part again."), part.Body.damage())
	case name.Checksum.IsZero() && u.Algorithm != checksum.None && !u.FullObject:
		return Part{}, s3error.ErrInvalidRequest.With("The upload was created using a " + strings.ToLower(u.Algorithm.String()) +
			" checksum. The complete request must include the checksum for each part. It was missing for part " +
			strconv.Itoa(name.Number) + " in the request.")
	}
	return part, nil
}

// assemble joins the parts without copying.
func (u *upload) assemble(parts []Part, otherwise checksum.Algorithm) (Draft, error) {
	d := Draft{Attributes: u.Attributes, ETag: ETag{Parts: int32(len(parts))}} //nolint:gosec // at most 10,000
	digests := md5.New()                                                       //nolint:gosec // see the import
	bodies := make([]Body, 0, len(parts))
	sums := make([]checksum.Sum, 0, len(parts))
	for _, part := range parts {
		digests.Write(part.ETag.Sum[:])
		bodies = append(bodies, part.Body)
		sums = append(sums, part.Checksum)
		number := int32(part.Number) //nolint:gosec // at most 10,000
		d.Parts = append(d.Parts, PartInfo{Number: number, Size: part.Body.Size(), Checksum: part.Checksum})
	}
	digests.Sum(d.ETag.Sum[:0])
	d.Body = join(bodies)
	sum, err := u.checksum(d.Body, sums, otherwise)
	d.Checksum = sum
	return d, err
}

func (u *upload) checksum(body Body, parts []checksum.Sum, otherwise checksum.Algorithm) (checksum.Sum, error) {
	if u.Algorithm != checksum.None && !u.FullObject {
		return checksum.OfParts(u.Algorithm, parts), nil
	}
	return body.Checksum(cmp.Or(u.Algorithm, otherwise))
}

// check compares the object with the client's values.
func (c Completion) check(u *upload, d Draft) error {
	if c.Type != "" && u.Algorithm != checksum.None && u.FullObject != (c.Type == checksum.FullObject) {
		return s3error.ErrInvalidRequest.With("The upload was created with another type of checksum than " + c.Type)
	}
	if c.Size != nil && *c.Size != d.Body.Size() {
		return s3error.ErrInvalidRequest.With("The value of x-amz-mp-object-size does not match the size of the object")
	}
	if !c.Checksum.IsZero() && c.Checksum != d.Checksum && c.Checksum != d.Checksum.WithoutParts() {
		return s3error.ErrBadDigest.With("The checksum that you specified does not match the object")
	}
	return nil
}
