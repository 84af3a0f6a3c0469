package store

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

const (
	maxDeletedObjects = 1000
	maxPartNumber     = 10000
)

// checkDocument reads the XML bodies for what gofakes3 would misunderstand: it
// deletes the object where one of its versions is named, and part numbers that
// are out of range make it panic.
func (s *Store) checkDocument(x *exchange) error {
	switch x.operation.Name {
	case "DeleteObjects":
		return checkDelete(x.body)
	case "CompleteMultipartUpload":
		return checkComplete(x.body)
	}
	return nil
}

func checkDelete(body []byte) error {
	var request struct {
		XMLName xml.Name `xml:"Delete"`
		Object  []struct {
			Key       string `xml:"Key"`
			VersionID string `xml:"VersionId"`
			ETag      string `xml:"ETag"`
		} `xml:"Object"`
	}
	if err := xml.Unmarshal(body, &request); err != nil || len(request.Object) == 0 || len(request.Object) > maxDeletedObjects {
		return s3error.ErrMalformedXML
	}
	for _, object := range request.Object {
		if object.Key == "" {
			return s3error.ErrMalformedXML
		}
		if (object.VersionID != "" && object.VersionID != "null") || object.ETag != "" {
			return s3error.ErrNotImplemented.With("Deleting versions of objects, or on a condition, is not implemented")
		}
	}
	return nil
}

func checkComplete(body []byte) error {
	var request struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []struct {
			PartNumber int `xml:"PartNumber"`
		} `xml:"Part"`
	}
	if err := xml.Unmarshal(body, &request); err != nil || len(request.Part) == 0 {
		return s3error.ErrMalformedXML
	}
	for _, part := range request.Part {
		if part.PartNumber < 1 || part.PartNumber > maxPartNumber {
			return s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive")
		}
	}
	return nil
}
