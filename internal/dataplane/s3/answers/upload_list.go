package answers

import (
	"encoding/xml"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (a *Answers) listParts(x *exchange) error {
	type entry struct {
		PartNumber   int
		LastModified string
		ETag         string
		Size         int64
		sums
	}
	u, err := x.contents.Upload(x.Key, x.Query.Get("uploadId"))
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
	parts, more, err := x.contents.Parts(x.Key, u.ID, after, limit)
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
		Xmlns: namespace, Bucket: x.Bucket, Key: u.Key, UploadID: u.ID, Initiator: x.owner(), Owner: x.owner(),
		StorageClass: classOf(u.StandardHeaders()), PartNumberMarker: after, MaxParts: limit, IsTruncated: more,
		ChecksumAlgorithm: u.Algorithm.String(), ChecksumType: typeOf(u),
	}
	for _, part := range parts {
		document.NextPartNumberMarker = part.Number
		document.Part = append(document.Part, entry{
			part.Number, formatTime(part.Modified), `"` + part.ETag.String() + `"`, part.Body.Size(), sumsOf(part.Checksum),
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
	text := x.Query.Get(name)
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
