package answers

import (
	"encoding/xml"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

type retentionDocument struct {
	XMLName         xml.Name `xml:"Retention"`
	Xmlns           string   `xml:"xmlns,attr,omitempty"`
	Mode            string   `xml:"Mode,omitempty"`
	RetainUntilDate string   `xml:"RetainUntilDate,omitempty"`
}

type legalHoldDocument struct {
	XMLName xml.Name          `xml:"LegalHold"`
	Xmlns   string            `xml:"xmlns,attr,omitempty"`
	Status  objects.LegalHold `xml:"Status"`
}

// findLocked looks up the version of the request, in a bucket with object lock.
func findLocked(x *s3exchange.Exchange) (objects.Lock, error) {
	if err := x.Find(); err != nil {
		return objects.Lock{}, err
	}
	if err := x.NeedsLock(); err != nil {
		return objects.Lock{}, err
	}
	x.TellVersionID()
	if x.Version.Attributes.Lock == nil {
		return objects.Lock{}, nil
	}
	return *x.Version.Attributes.Lock, nil
}

func (a *Answers) getObjectRetention(x *s3exchange.Exchange) error {
	lock, err := findLocked(x)
	switch {
	case err != nil:
		return err
	case lock.Retention.Mode == "":
		return s3error.ErrNoSuchObjectLockConfiguration
	}
	return sendXML(x, retentionDocument{
		Xmlns: namespace, Mode: string(lock.Retention.Mode), RetainUntilDate: lock.Retention.Until.Format(s3exchange.Timestamp),
	})
}

func (a *Answers) getObjectLegalHold(x *s3exchange.Exchange) error {
	lock, err := findLocked(x)
	switch {
	case err != nil:
		return err
	case lock.LegalHold == "":
		return s3error.ErrNoSuchObjectLockConfiguration
	}
	return sendXML(x, legalHoldDocument{Xmlns: namespace, Status: lock.LegalHold})
}

// putObjectRetention answers PutObjectRetention. An empty document removes the retention.
func (a *Answers) putObjectRetention(x *s3exchange.Exchange) error {
	var document retentionDocument
	if err := xml.Unmarshal(x.Body, &document); err != nil {
		return s3error.ErrMalformedXML
	}
	var wanted objects.Retention
	if document.Mode != "" || document.RetainUntilDate != "" {
		if !objects.LockMode(document.Mode).IsValid() || document.RetainUntilDate == "" {
			return s3error.ErrMalformedXML
		}
		var err error
		if wanted, err = s3exchange.ParseRetention(document.Mode, document.RetainUntilDate, x.Now()); err != nil {
			return err
		}
	}
	if err := x.NeedsLock(); err != nil {
		return err
	}
	v, err := x.Contents.SetRetention(x.Key, x.Query.Get("versionId"), wanted, x.Bypass())
	return relocked(x, v, err)
}

func (a *Answers) putObjectLegalHold(x *s3exchange.Exchange) error {
	var document legalHoldDocument
	if err := xml.Unmarshal(x.Body, &document); err != nil || !s3exchange.IsHold(document.Status) {
		return s3error.ErrMalformedXML
	}
	if err := x.NeedsLock(); err != nil {
		return err
	}
	v, err := x.Contents.SetLegalHold(x.Key, x.Query.Get("versionId"), document.Status)
	return relocked(x, v, err)
}

// relocked answers a change of the lock of a version.
func relocked(x *s3exchange.Exchange, v *objects.Version, err error) error {
	if err != nil {
		return err
	}
	x.Version = v
	x.TellVersionID()
	x.W.WriteHeader(http.StatusOK)
	return nil
}
