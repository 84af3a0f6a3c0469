package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const lockEnabled = "Enabled"

type lockDocument struct {
	XMLName xml.Name  `xml:"ObjectLockConfiguration"`
	Xmlns   string    `xml:"xmlns,attr,omitempty"`
	Enabled string    `xml:"ObjectLockEnabled,omitempty"`
	Rule    *lockRule `xml:"Rule"`
}

type lockRule struct {
	DefaultRetention struct {
		Mode  string `xml:"Mode"`
		Days  *int   `xml:"Days"`
		Years *int   `xml:"Years"`
	} `xml:"DefaultRetention"`
}

func (a *Answers) getObjectLockConfiguration(x *s3exchange.Exchange) error {
	lock := x.Contents.ObjectLock()
	if !lock.Enabled {
		return s3error.ErrNoSuchObjectLock
	}
	document := lockDocument{Xmlns: namespace, Enabled: lockEnabled}
	if d := lock.Default; d.Mode != "" {
		document.Rule = &lockRule{}
		document.Rule.DefaultRetention.Mode = string(d.Mode)
		if d.Days > 0 {
			document.Rule.DefaultRetention.Days = &d.Days
		} else {
			document.Rule.DefaultRetention.Years = &d.Years
		}
	}
	return sendXML(x, document)
}

func (a *Answers) putObjectLockConfiguration(x *s3exchange.Exchange) error {
	var document lockDocument
	if err := xml.Unmarshal(x.Body, &document); err != nil || document.Enabled != lockEnabled {
		return s3error.ErrMalformedXML
	}
	var wanted objects.DefaultRetention
	if document.Rule != nil {
		var err error
		if wanted, err = document.Rule.retention(); err != nil {
			return err
		}
	}
	return x.Contents.SetObjectLock(wanted)
}

// retention reads a rule, which has either days or years.
func (r lockRule) retention() (objects.DefaultRetention, error) {
	d := r.DefaultRetention
	period := fakedriver.Retention{Mode: fakedriver.RetentionMode(d.Mode)}
	switch {
	case !objects.LockMode(d.Mode).IsValid(), (d.Days == nil) == (d.Years == nil):
		return objects.DefaultRetention{}, s3error.ErrMalformedXML
	case d.Days != nil:
		period.Days = *d.Days
	default:
		period.Years = *d.Years
	}
	if period.Validate() != nil {
		return objects.DefaultRetention{}, s3error.ErrInvalidRetentionPeriod
	}
	return objects.DefaultRetention{Mode: objects.LockMode(d.Mode), Days: period.Days, Years: period.Years}, nil
}
