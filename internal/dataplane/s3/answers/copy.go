package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// copyObject answers CopyObject. The objects share the content, which never changes.
func (a *Answers) copyObject(x *s3exchange.Exchange) error {
	source, err := a.readSource(x)
	if err != nil {
		return err
	}
	if err := source.CheckDamage(source.Body); err != nil {
		return err
	}
	draft, err := copiedDraft(x, source)
	if err != nil {
		return err
	}
	if err := x.Dialect.Finish(&draft); err != nil {
		return err
	}
	v, err := x.Contents.Put(x.Key, draft, x.Conditions)
	if err != nil {
		return err
	}
	x.Version = v
	x.TellVersionID()
	x.TellEncryption(v.StandardHeaders())
	tellSource(x, source)
	return sendXML(x, struct {
		XMLName      xml.Name `xml:"CopyObjectResult"`
		Xmlns        string   `xml:"xmlns,attr"`
		LastModified string
		ETag         string
		ChecksumType string `xml:",omitempty"`
		s3exchange.Sums
	}{
		Xmlns: namespace, LastModified: formatTime(v.Modified()), ETag: `"` + v.ETag.String() + `"`,
		ChecksumType: s3exchange.SumType(v.Checksum), Sums: s3exchange.SumsOf(v.Checksum),
	})
}

// readSource looks up the source of a copy, under its own conditions.
func (a *Answers) readSource(x *s3exchange.Exchange) (*objects.Version, error) {
	b, err := a.store.Objects().Bucket(x.Source.UID)
	if err != nil {
		return nil, err
	}
	v, err := b.Get(x.Source.Key, x.Source.Version)
	x.Hold(v.Release)
	if err != nil {
		if v != nil && x.Source.Version != "" {
			return nil, s3error.ErrInvalidRequest.With("The source of a copy request may not specifically refer to a delete marker by version id.")
		}
		return nil, err
	}
	if s3exchange.ReadConditions(x.R.Header, "X-Amz-Copy-Source-").Read(v) != nil {
		return nil, s3error.ErrPreconditionFailed
	}
	return v, nil
}

func tellSource(x *s3exchange.Exchange, source *objects.Version) {
	if x.Source.Version != "" || source.ID != objects.NullVersion {
		x.W.Header().Set("X-Amz-Copy-Source-Version-Id", source.ID)
	}
}
