package answers

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type attributePart struct {
	PartNumber int32
	Size       int64
	s3exchange.Sums
}

type attributeParts struct {
	PartsCount           int
	PartNumberMarker     int
	NextPartNumberMarker int
	MaxParts             int
	IsTruncated          bool
	Part                 []attributePart
}

type attributeChecksum struct {
	s3exchange.Sums
	ChecksumType string
}

const partMarker = "X-Amz-Part-Number-Marker"

func (a *Answers) objectAttributes(x *s3exchange.Exchange) error {
	wanted, err := wantedAttributes(x.R.Header)
	if err != nil {
		return err
	}
	if err := x.Find(); err != nil {
		return err
	}
	v := x.Version
	document := struct {
		XMLName      xml.Name           `xml:"GetObjectAttributesResponse"`
		Xmlns        string             `xml:"xmlns,attr"`
		ETag         string             `xml:",omitempty"`
		Checksum     *attributeChecksum `xml:",omitempty"`
		ObjectParts  *attributeParts    `xml:",omitempty"`
		StorageClass string             `xml:",omitempty"`
		ObjectSize   *int64             `xml:",omitempty"`
	}{Xmlns: namespace}
	for _, attribute := range wanted {
		switch attribute {
		case "ETag":
			document.ETag = v.ETag.String() // without quotes, as in S3
		case "Checksum":
			if !v.Checksum.IsZero() {
				document.Checksum = &attributeChecksum{s3exchange.SumsOf(v.Checksum.WithoutParts()), v.Checksum.Type()}
			}
		case "ObjectParts":
			if document.ObjectParts, err = newAttributeParts(x, v.Parts()); err != nil {
				return err
			}
		case "StorageClass":
			document.StorageClass = s3exchange.StorageClassOf(v.StandardHeaders())
		case "ObjectSize":
			document.ObjectSize = new(v.Size())
		}
	}
	x.TellVersionID()
	x.W.Header().Set("Last-Modified", v.Modified().Format(http.TimeFormat))
	return sendXML(x, document)
}

func wantedAttributes(header http.Header) ([]string, error) {
	known := []string{"ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"}
	if header.Get("X-Amz-Object-Attributes") == "" {
		return nil, s3error.ErrInvalidRequest.With("The x-amz-object-attributes header specifying the attributes to be retrieved " +
			"is either missing or empty")
	}
	var wanted []string
	for attribute := range strings.SplitSeq(strings.Join(header.Values("X-Amz-Object-Attributes"), ","), ",") {
		if attribute = strings.TrimSpace(attribute); !slices.Contains(known, attribute) {
			return nil, s3error.ErrInvalidArgument.With("Invalid attribute name specified.").
				About("ArgumentName", "x-amz-object-attributes").About("ArgumentValue", attribute)
		}
		wanted = append(wanted, attribute)
	}
	return wanted, nil
}

// newAttributeParts returns a page of the parts; nil if the object has none.
func newAttributeParts(x *s3exchange.Exchange, all []objects.PartInfo) (*attributeParts, error) {
	if len(all) == 0 {
		return nil, nil
	}
	page := &attributeParts{PartsCount: len(all), MaxParts: maxPageSize}
	if number, err := strconv.ParseUint(x.R.Header.Get("X-Amz-Max-Parts"), 10, 31); err == nil { // S3 ignores other values
		page.MaxParts = min(int(number), maxPageSize)
	}
	if marker := x.R.Header.Get(partMarker); marker != "" {
		number, err := strconv.ParseUint(marker, 10, 31)
		if err != nil {
			return nil, s3error.ErrInvalidArgument.With("The value of " + strings.ToLower(partMarker) + " is not a number that is allowed")
		}
		page.PartNumberMarker = int(number)
	}
	page.NextPartNumberMarker = page.PartNumberMarker
	for _, part := range all {
		if int(part.Number) <= page.PartNumberMarker {
			continue
		}
		if len(page.Part) == page.MaxParts {
			page.IsTruncated = page.MaxParts > 0 // clients would request the same page again
			break
		}
		page.Part = append(page.Part, attributePart{part.Number, part.Size, s3exchange.SumsOf(part.Checksum)})
		page.NextPartNumberMarker = int(part.Number)
	}
	return page, nil
}
