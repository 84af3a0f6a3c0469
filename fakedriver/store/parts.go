package store

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

const (
	maxPartNumber = 10000
	maxPageSize   = 1000
)

// sums are the elements that hold an object's or a part's checksum in documents.
type sums struct {
	ChecksumCRC32     string `xml:",omitempty"`
	ChecksumCRC32C    string `xml:",omitempty"`
	ChecksumCRC64NVME string `xml:",omitempty"`
	ChecksumSHA1      string `xml:",omitempty"`
	ChecksumSHA256    string `xml:",omitempty"`
}

func (s *sums) field(algorithm checksum.Algorithm) *string {
	return map[checksum.Algorithm]*string{
		checksum.CRC32: &s.ChecksumCRC32, checksum.CRC32C: &s.ChecksumCRC32C, checksum.CRC64NVME: &s.ChecksumCRC64NVME,
		checksum.SHA1: &s.ChecksumSHA1, checksum.SHA256: &s.ChecksumSHA256,
	}[algorithm]
}

func sumsOf(sum checksum.Sum) sums {
	var s sums
	if !sum.IsZero() {
		*s.field(sum.Algorithm) = sum.String()
	}
	return s
}

// typeOfSum is the element ChecksumType; empty if there is no checksum.
func typeOfSum(sum checksum.Sum) string {
	if sum.IsZero() {
		return ""
	}
	return sum.Type()
}

// sum returns the checksum that a document names, of which there may be one.
func (s *sums) sum() (checksum.Sum, error) {
	for _, algorithm := range checksum.All() {
		text := *s.field(algorithm)
		if text == "" {
			continue
		}
		sum, err := checksum.Parse(algorithm, text)
		if err != nil {
			return checksum.Sum{}, s3error.ErrInvalidRequest.With("Value for the checksum of a part is invalid.")
		}
		return sum, nil
	}
	return checksum.Sum{}, nil
}

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

// listParts answers ListParts.
func (s *Store) listParts(x *exchange) error {
	type entry struct {
		PartNumber   int
		LastModified string
		ETag         string
		Size         int64
		sums
	}
	u, err := x.contents.Upload(x.key, x.query.Get("uploadId"))
	if err != nil {
		return err
	}
	limit, err := x.pageSize("max-parts")
	if err != nil {
		return err
	}
	after, err := x.number("part-number-marker", 0)
	if err != nil {
		return err
	}
	parts, more, err := x.contents.Parts(x.key, u.ID, after, limit)
	if err != nil {
		return err
	}
	document := struct {
		XMLName              xml.Name `xml:"ListPartsResult"`
		Xmlns                string   `xml:"xmlns,attr"`
		Bucket, Key          string
		UploadID             string `xml:"UploadId"`
		Initiator, Owner     owner
		StorageClass         string
		PartNumberMarker     int
		NextPartNumberMarker int `xml:",omitempty"`
		MaxParts             int
		IsTruncated          bool
		ChecksumAlgorithm    string `xml:",omitempty"`
		ChecksumType         string `xml:",omitempty"`
		Part                 []entry
	}{
		Xmlns: namespace, Bucket: x.bucket, Key: u.Key, UploadID: u.ID, Initiator: x.owner(), Owner: x.owner(),
		StorageClass: standard, PartNumberMarker: after, MaxParts: limit, IsTruncated: more,
		ChecksumAlgorithm: u.Algorithm.String(), ChecksumType: typeOf(u),
	}
	for _, part := range parts {
		document.NextPartNumberMarker = part.Number
		document.Part = append(document.Part, entry{
			part.Number, part.Modified.Format(timestamp), `"` + part.ETag.String() + `"`, part.Body.Size(), sumsOf(part.Checksum),
		})
	}
	return sendXML(x, document)
}

func typeOf(u objects.Upload) string {
	switch {
	case u.Algorithm == checksum.None:
		return ""
	case u.FullObject:
		return checksum.FullObject
	default:
		return checksum.Composite
	}
}

// number reads a query parameter that is not negative.
func (x *exchange) number(name string, otherwise int) (int, error) {
	text := x.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 0 {
		return 0, s3error.ErrInvalidArgument.With("Provided " + name + " not an integer or within integer range")
	}
	return int(number), nil
}

func (x *exchange) pageSize(name string) (int, error) {
	size, err := x.number(name, maxPageSize)
	return min(size, maxPageSize), err
}

func formatTime(t time.Time) string { return t.UTC().Format(timestamp) }
