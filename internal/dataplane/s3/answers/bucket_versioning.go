package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type versioning struct {
	XMLName   xml.Name `xml:"VersioningConfiguration"`
	Xmlns     string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
	MFADelete string   `xml:"MfaDelete,omitempty"`
}

func (a *Answers) getBucketVersioning(x *s3exchange.Exchange) error {
	return sendXML(x, versioning{Xmlns: namespace, Status: string(x.Contents.Versioning())})
}

func (a *Answers) putBucketVersioning(x *s3exchange.Exchange) error {
	var document versioning
	if err := xml.Unmarshal(x.Body, &document); err != nil {
		return s3error.ErrMalformedXML
	}
	if document.MFADelete == "Enabled" {
		return s3error.ErrNotImplemented.With("Deletion by multi-factor authentication is not implemented")
	}
	return x.Contents.SetVersioning(objects.Versioning(document.Status))
}
