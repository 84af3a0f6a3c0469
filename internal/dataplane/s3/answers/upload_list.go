package answers

import (
	"encoding/xml"
	"strconv"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

func (a *Answers) listParts(x *s3exchange.Exchange) error {
	type entry struct {
		PartNumber   int
		LastModified string
		ETag         string
		Size         int64
		s3exchange.Sums
	}
	u, err := x.Contents.Upload(x.Key, x.Query.Get("uploadId"))
	if err != nil {
		return err
	}
	limit, err := pageSizeOf(x, "max-parts")
	if err != nil {
		return err
	}
	after, err := queryNumber(x, "part-number-marker", 0)
	if err != nil {
		return err
	}
	parts, more, err := x.Contents.Parts(x.Key, u.ID, after, limit)
	if err != nil {
		return err
	}
	document := struct {
		XMLName              xml.Name `xml:"ListPartsResult"`
		Xmlns                string   `xml:"xmlns,attr"`
		Bucket, Key          string
		UploadID             string `xml:"UploadId"`
		Initiator, Owner     gofakes3.UserInfo
		StorageClass         string
		PartNumberMarker     int
		NextPartNumberMarker int `xml:",omitempty"`
		MaxParts             int
		IsTruncated          bool
		ChecksumAlgorithm    string `xml:",omitempty"`
		ChecksumType         string `xml:",omitempty"`
		Part                 []entry
	}{
		Xmlns: namespace, Bucket: x.Bucket, Key: u.Key, UploadID: u.ID, Initiator: ownerOf(x), Owner: ownerOf(x),
		StorageClass: s3exchange.StorageClassOf(u.StandardHeaders()), PartNumberMarker: after, MaxParts: limit, IsTruncated: more,
		ChecksumAlgorithm: u.Algorithm.String(), ChecksumType: s3exchange.UploadChecksumType(u),
	}
	for _, part := range parts {
		document.NextPartNumberMarker = part.Number
		document.Part = append(document.Part, entry{
			part.Number, formatTime(part.Modified), `"` + part.ETag.String() + `"`, part.Body.Size(), s3exchange.SumsOf(part.Checksum),
		})
	}
	return sendXML(x, document)
}

// queryNumber reads a query parameter that is not negative.
func queryNumber(x *s3exchange.Exchange, name string, otherwise int) (int, error) {
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

func pageSizeOf(x *s3exchange.Exchange, name string) (int, error) {
	size, err := queryNumber(x, name, maxPageSize)
	return min(size, maxPageSize), err
}
