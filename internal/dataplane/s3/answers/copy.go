package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// copyObject answers CopyObject. The objects share the content, which never changes.
func (a *Answers) copyObject(x *exchange) error {
	source, err := a.readSource(x)
	if err != nil {
		return err
	}
	if err := source.CheckDamage(source.Body); err != nil {
		return err
	}
	draft, err := x.copied(source)
	if err != nil {
		return err
	}
	if err := x.finish(&draft); err != nil {
		return err
	}
	v, err := x.contents.Put(x.Key, draft, x.conditions)
	if err != nil {
		return err
	}
	x.version = v
	x.tellVersionID()
	x.tellEncryption(v.StandardHeaders())
	x.tellSource(source)
	return sendXML(x, struct {
		XMLName      xml.Name `xml:"CopyObjectResult"`
		Xmlns        string   `xml:"xmlns,attr"`
		LastModified string
		ETag         string
		ChecksumType string `xml:",omitempty"`
		sums
	}{
		Xmlns: namespace, LastModified: formatTime(v.Modified()), ETag: `"` + v.ETag.String() + `"`,
		ChecksumType: typeOfSum(v.Checksum), sums: sumsOf(v.Checksum),
	})
}

// readSource looks up the source of a copy, under its own conditions.
func (a *Answers) readSource(x *exchange) (*objects.Version, error) {
	b, err := a.options.Contents.Bucket(x.Source.UID)
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
	if readConditions(x.R.Header, "X-Amz-Copy-Source-").Read(v) != nil {
		return nil, s3error.ErrPreconditionFailed
	}
	return v, nil
}

func (x *exchange) tellSource(source *objects.Version) {
	if x.Source.Version != "" || source.ID != objects.NullVersion {
		x.W.Header().Set("X-Amz-Copy-Source-Version-Id", source.ID)
	}
}
