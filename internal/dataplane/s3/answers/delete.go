package answers

import (
	"encoding/xml"
	"strings"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const maxDeletedObjects = 1000

type objectToDelete struct {
	gofakes3.ObjectID

	ETag string `xml:"ETag"`

	// The conditions that S3 has for directory buckets only.
	LastModifiedTime *string `xml:"LastModifiedTime"`
	Size             *string `xml:"Size"`
}

type deleted struct {
	gofakes3.ObjectID

	DeleteMarker          bool   `xml:",omitempty"`
	DeleteMarkerVersionID string `xml:"DeleteMarkerVersionId,omitempty"`
}

type deleteFailure struct {
	gofakes3.ObjectID

	Code, Message string
}

// deleteObjects answers DeleteObjects, with a result for each object.
func (a *Answers) deleteObjects(x *s3exchange.Exchange) error {
	all, quiet, err := objectsToDelete(x.Body)
	if err != nil {
		return err
	}
	document := struct {
		XMLName xml.Name `xml:"DeleteResult"`
		Xmlns   string   `xml:"xmlns,attr"`
		Deleted []deleted
		Error   []deleteFailure
	}{Xmlns: namespace}
	for _, object := range all {
		done, err := deleteOne(x, object)
		if err != nil {
			failure := s3error.From(err)
			document.Error = append(document.Error, deleteFailure{object.ObjectID, failure.Code, failure.Message})
		} else if !quiet {
			document.Deleted = append(document.Deleted, done)
		}
	}
	return sendXML(x, document)
}

func deleteOne(x *s3exchange.Exchange, object objectToDelete) (deleted, error) {
	result := deleted{ObjectID: object.ObjectID}
	if len(object.Key) > s3exchange.MaxKeyBytes {
		return result, s3error.ErrKeyTooLong
	}
	if object.VersionID != "" && !objects.IsVersionID(object.VersionID) {
		return result, s3error.ErrInvalidArgument.With("Invalid version id specified")
	}
	if object.LastModifiedTime != nil || object.Size != nil {
		return result, s3error.ErrNotImplemented.With(
			"The conditions LastModifiedTime and Size require a directory bucket, which this service does not have")
	}
	if object.ETag != "" && !x.MayReadObjects {
		return result, s3error.ErrAccessDenied
	}
	done, err := x.Contents.Delete(object.Key, object.VersionID, objects.Conditions{IfMatch: strings.Trim(object.ETag, `"`)}, x.Bypass())
	if done.IsDeleteMarker {
		result.DeleteMarker, result.DeleteMarkerVersionID = true, done.VersionID
	}
	return result, err
}

func objectsToDelete(body []byte) (all []objectToDelete, quiet bool, err error) {
	var document struct {
		XMLName xml.Name         `xml:"Delete"`
		Object  []objectToDelete `xml:"Object"`
		Quiet   bool             `xml:"Quiet"`
	}
	if err := xml.Unmarshal(body, &document); err != nil || len(document.Object) == 0 || len(document.Object) > maxDeletedObjects {
		return nil, false, s3error.ErrMalformedXML
	}
	for _, object := range document.Object {
		if object.Key == "" {
			return nil, false, s3error.ErrMalformedXML
		}
	}
	return document.Object, document.Quiet, nil
}
