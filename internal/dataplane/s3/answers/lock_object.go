package answers

import (
	"encoding/xml"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
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
func (x *exchange) findLocked() (objects.Lock, error) {
	if err := x.needsLock(); err != nil {
		return objects.Lock{}, err
	}
	if err := x.find(); err != nil {
		return objects.Lock{}, err
	}
	x.tellVersionID()
	if x.version.Attributes.Lock == nil {
		return objects.Lock{}, nil
	}
	return *x.version.Attributes.Lock, nil
}

func (a *Answers) getObjectRetention(x *exchange) error {
	lock, err := x.findLocked()
	switch {
	case err != nil:
		return err
	case lock.Retention.Mode == "":
		return s3error.ErrNoSuchObjectLockConfiguration
	}
	return sendXML(x, retentionDocument{
		Xmlns: namespace, Mode: string(lock.Retention.Mode), RetainUntilDate: lock.Retention.Until.Format(timestamp),
	})
}

func (a *Answers) getObjectLegalHold(x *exchange) error {
	lock, err := x.findLocked()
	switch {
	case err != nil:
		return err
	case lock.LegalHold == "":
		return s3error.ErrNoSuchObjectLockConfiguration
	}
	return sendXML(x, legalHoldDocument{Xmlns: namespace, Status: lock.LegalHold})
}

// putObjectRetention answers PutObjectRetention. An empty document removes the retention.
func (a *Answers) putObjectRetention(x *exchange) error {
	if err := x.needsLock(); err != nil {
		return err
	}
	if err := x.needsDigest(); err != nil {
		return err
	}
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
		if wanted, err = retention(document.Mode, document.RetainUntilDate, x.now()); err != nil {
			return err
		}
	}
	return x.relocked(x.contents.SetRetention(x.Key, x.Query.Get("versionId"), wanted, x.bypass()))
}

func (a *Answers) putObjectLegalHold(x *exchange) error {
	if err := x.needsLock(); err != nil {
		return err
	}
	if err := x.needsDigest(); err != nil {
		return err
	}
	var document legalHoldDocument
	if err := xml.Unmarshal(x.Body, &document); err != nil || !isHold(document.Status) {
		return s3error.ErrMalformedXML
	}
	return x.relocked(x.contents.SetLegalHold(x.Key, x.Query.Get("versionId"), document.Status))
}

// relocked answers a change of the lock of a version.
func (x *exchange) relocked(v *objects.Version, err error) error {
	if err != nil {
		return err
	}
	x.version = v
	x.tellVersionID()
	x.W.WriteHeader(http.StatusOK)
	return nil
}
