package answers

import (
	"cmp"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (a *Answers) completeUpload(x *s3exchange.Exchange) error {
	completion, err := completionOf(x)
	if err != nil {
		return err
	}
	v, err := x.Contents.CompleteUpload(x.Key, x.Query.Get("uploadId"), completion)
	if err != nil {
		return err
	}
	x.Version = v
	x.TellVersionID()
	x.TellEncryption(v.StandardHeaders())
	document := struct {
		XMLName               xml.Name `xml:"CompleteMultipartUploadResult"`
		Xmlns                 string   `xml:"xmlns,attr"`
		Location, Bucket, Key string
		ETag                  string
		ChecksumType          string `xml:",omitempty"`
		s3exchange.Sums
	}{
		Xmlns: namespace, Location: locationOf(x), Bucket: x.Bucket, Key: x.Key, ETag: `"` + v.ETag.String() + `"`,
		ChecksumType: s3exchange.SumType(v.Checksum), Sums: s3exchange.SumsOf(v.Checksum),
	}
	return sendXML(x, document)
}

// completionOf reads the document and the headers.
func completionOf(x *s3exchange.Exchange) (objects.Completion, error) {
	c := objects.Completion{Conditions: x.Conditions, Finish: x.Dialect.Finish}
	var err error
	if c.Type, err = s3exchange.ChecksumType(x.R.Header); err != nil {
		return c, err
	}
	if c.Parts, err = partsOfBody(x.Body); err != nil {
		return c, err
	}
	if c.Checksum, err = checksumOfHeader(x.R.Header); err != nil {
		return c, err
	}
	c.Default = cmp.Or(c.Checksum.Algorithm, checksum.Default)
	if text := x.R.Header.Get("X-Amz-Mp-Object-Size"); text != "" {
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 {
			return c, s3error.ErrInvalidRequest.With("Value for x-amz-mp-object-size header is invalid.")
		}
		c.Size = &size
	}
	return c, nil
}

func partsOfBody(body []byte) ([]objects.CompletedPart, error) {
	var document struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []struct {
			gofakes3.CompletedPart
			s3exchange.Sums
		} `xml:"Part"`
	}
	if err := xml.Unmarshal(body, &document); err != nil || len(document.Part) == 0 {
		return nil, s3error.ErrMalformedXML
	}
	parts := make([]objects.CompletedPart, 0, len(document.Part))
	for _, part := range document.Part {
		if part.ETag == "" {
			return nil, s3error.ErrMalformedXML
		}
		if part.PartNumber < 1 || part.PartNumber > s3exchange.MaxPartNumber {
			return nil, s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive")
		}
		sum, err := part.Sum()
		if err != nil {
			return nil, err
		}
		parts = append(parts, objects.CompletedPart{Number: part.PartNumber, ETag: strings.Trim(part.ETag, `"`), Checksum: sum})
	}
	return parts, nil
}

// checksumOfHeader reads the client's checksum of the whole object.
func checksumOfHeader(header http.Header) (found checksum.Sum, err error) {
	for _, algorithm := range checksum.All() {
		text := header.Get(algorithm.Header())
		switch {
		case text == "":
			continue
		case !found.IsZero():
			return found, checksum.ErrSeveral
		}
		if found, err = checksum.Parse(algorithm, text); err != nil {
			return found, s3error.ErrInvalidRequest.With("Value for " + strings.ToLower(algorithm.Header()) + " header is invalid.")
		}
	}
	return found, nil
}

// locationOf returns the URL of the object. A form is posted to the URL of the bucket.
func locationOf(x *s3exchange.Exchange) string {
	path := x.R.URL.EscapedPath()
	if x.Operation.Body == s3op.Form {
		path = strings.TrimSuffix(path, "/") + (&url.URL{Path: "/" + x.Key}).EscapedPath()
	}
	return x.Base() + path
}
