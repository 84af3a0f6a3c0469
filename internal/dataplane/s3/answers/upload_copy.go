package answers

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (a *Answers) copyPart(x *s3exchange.Exchange) error {
	source, err := a.readSource(x)
	if err != nil {
		return err
	}
	body, err := cut(source.Body, x.R.Header.Get("X-Amz-Copy-Source-Range"))
	if err != nil {
		return err
	}
	if err := source.CheckDamage(body); err != nil {
		return err
	}
	c := partContent{Content: s3exchange.Content{Body: body}, copied: true}
	if c.ETag, err = body.ETag(); err != nil {
		return err
	}
	part, err := putPart(x, c)
	if err != nil {
		return err
	}
	tellSource(x, source)
	return sendXML(x, struct {
		XMLName      xml.Name `xml:"CopyPartResult"`
		Xmlns        string   `xml:"xmlns,attr"`
		LastModified string
		ETag         string
		s3exchange.Sums
	}{Xmlns: namespace, LastModified: formatTime(part.Modified), ETag: `"` + part.ETag.String() + `"`, Sums: s3exchange.SumsOf(part.Checksum)})
}

// cut returns the range of a body in X-Amz-Copy-Source-Range, which must have both ends within the
// body.
func cut(body objects.Body, header string) (objects.Body, error) {
	if header == "" {
		return body, nil
	}
	invalid := s3error.ErrInvalidArgument.With("The x-amz-copy-source-range value must be of the form bytes=first-last where first and last " +
		"are the zero-based offsets of the first and last bytes to copy")
	bounds, ok := strings.CutPrefix(header, "bytes=")
	from, to, both := strings.Cut(bounds, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if !ok || !both || err != nil || first < 0 {
		return body, invalid
	}
	last, err := strconv.ParseInt(to, 10, 64)
	if err != nil || last < first {
		return body, invalid
	}
	if last >= body.Size() {
		return body, s3error.ErrInvalidArgument.With(fmt.Sprintf("Range specified is not valid for source object of size: %d", body.Size()))
	}
	return body.Slice(first, last-first+1), nil
}
