package answers

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type attributePart struct {
	PartNumber int32
	Size       int64
	s3exchange.Sums
}

type attributeParts struct {
	PartsCount int
	*attributePage
}

type attributePage struct {
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

func (a *Answers) objectAttributes(x *s3exchange.Exchange) error {
	if err := x.Find(); err != nil {
		return err
	}
	wanted, err := wantedAttributes(x.R.Header)
	if err != nil {
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
			if document.ObjectParts, err = newAttributeParts(x, v); err != nil {
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
	var wanted []string
	for attribute := range strings.SplitSeq(strings.Join(header.Values("X-Amz-Object-Attributes"), ","), ",") {
		if attribute = strings.TrimSpace(attribute); !slices.Contains(known, attribute) {
			return nil, s3error.ErrInvalidArgument.With("Invalid attribute name specified.")
		}
		wanted = append(wanted, attribute)
	}
	return wanted, nil
}

// newAttributeParts returns nil if the object has no parts. S3 describes each part only if the client
// has selected a checksum for them, which is never the default one.
func newAttributeParts(x *s3exchange.Exchange, v *objects.Version) (*attributeParts, error) {
	if len(v.Parts()) == 0 {
		return nil, nil
	}
	parts := &attributeParts{PartsCount: len(v.Parts())}
	if v.Checksum.IsZero() || v.Checksum.Algorithm == checksum.Default {
		return parts, nil
	}
	var err error
	parts.attributePage, err = newAttributePage(x, v.Parts())
	return parts, err
}

func newAttributePage(x *s3exchange.Exchange, all []objects.PartInfo) (*attributePage, error) {
	page := &attributePage{MaxParts: maxPageSize}
	for name, into := range map[string]*int{"X-Amz-Max-Parts": &page.MaxParts, "X-Amz-Part-Number-Marker": &page.PartNumberMarker} {
		text := x.R.Header.Get(name)
		if text == "" {
			continue
		}
		number, err := strconv.ParseInt(text, 10, 32)
		if err != nil || number < 0 {
			return nil, s3error.ErrInvalidArgument.With("The value of " + strings.ToLower(name) + " is not a number that is allowed")
		}
		*into = min(int(number), s3exchange.MaxPartNumber)
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
