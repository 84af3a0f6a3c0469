package store

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unique"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// copyObject answers CopyObject. The content is not copied: it never changes, so
// both objects share it.
func (s *Store) copyObject(x *exchange) error {
	source, err := s.readSource(x)
	if err != nil {
		return err
	}
	draft, err := x.copied(source)
	if err != nil {
		return err
	}
	v, err := x.contents.Put(x.key, draft, x.conditions)
	if err != nil {
		return err
	}
	x.version = v
	x.tellVersionID()
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

// readSource looks up the version that is copied, under its own conditions.
func (s *Store) readSource(x *exchange) (*objects.Version, error) {
	b, err := s.contents.Bucket(x.source.uid)
	if err != nil {
		return nil, err
	}
	v, err := b.Get(x.source.key, x.source.version)
	x.hold(v.Release)
	if err != nil {
		if v != nil && x.source.version != "" {
			return nil, s3error.ErrInvalidRequest.With("The source of a copy request may not specifically refer to a delete marker by version id.")
		}
		return nil, err
	}
	if readConditions(x.r.Header, "X-Amz-Copy-Source-").Read(v) != nil {
		return nil, s3error.ErrPreconditionFailed
	}
	return v, nil
}

// copied is the object that the copy is to be: metadata and tags are the source's
// or the request's, as the two directives say.
func (x *exchange) copied(source *objects.Version) (objects.Draft, error) {
	draft := objects.Draft{
		Body: source.Body, ETag: source.ETag, Checksum: source.Checksum, Attributes: source.Attributes, Parts: nil,
	}
	metadata, err := directive(x.r.Header.Get("X-Amz-Metadata-Directive"))
	if err != nil {
		return draft, err
	}
	tagging, err := directive(x.r.Header.Get("X-Amz-Tagging-Directive"))
	if err != nil {
		return draft, err
	}
	attributes, err := x.attributes()
	if err != nil {
		return draft, err
	}
	if metadata == replace {
		draft.Attributes.Headers, draft.Attributes.Metadata = attributes.Headers, attributes.Metadata
	} else {
		draft.Attributes.Headers = redirected(source, attributes)
	}
	if tagging == replace {
		draft.Attributes.Tags = attributes.Tags
	}
	if draft.ETag, draft.Checksum, err = x.digests(source); err != nil {
		return draft, err
	}
	if x.copiesToItself() && metadata != replace && tagging != replace {
		return draft, s3error.ErrInvalidRequest.With("This copy request is illegal because it is trying to copy an object to itself without changing " +
			"the object's metadata, storage class, website redirect location or encryption attributes.")
	}
	return draft, nil
}

// redirected are the headers of the source, but for the redirection, which is never
// copied.
func redirected(source *objects.Version, request objects.Attributes) unique.Handle[objects.Headers] {
	headers := source.StandardHeaders()
	headers.WebsiteRedirect = request.Headers.Value().WebsiteRedirect
	return unique.Make(headers)
}

const replace = "REPLACE"

func directive(value string) (string, error) {
	switch value {
	case "", "COPY":
		return "COPY", nil
	case replace:
		return replace, nil
	}
	return "", s3error.ErrInvalidArgument.With("Unknown directive " + value)
}

// copiesToItself reports whether the newest version of an object is its source.
func (x *exchange) copiesToItself() bool {
	return x.source.bucket == x.bucket && x.source.key == x.key && x.source.version == ""
}

func (x *exchange) tellSource(source *objects.Version) {
	if x.source.version != "" || source.ID != objects.NullVersion {
		x.w.Header().Set("X-Amz-Copy-Source-Version-Id", source.ID)
	}
}

// copyPart answers UploadPartCopy.
func (s *Store) copyPart(x *exchange) error {
	source, err := s.readSource(x)
	if err != nil {
		return err
	}
	body, err := cut(source.Body, x.r.Header.Get("X-Amz-Copy-Source-Range"))
	if err != nil {
		return err
	}
	c := content{body: body, copied: true}
	if c.etag, err = body.ETag(); err != nil {
		return err
	}
	part, err := x.putPart(c)
	if err != nil {
		return err
	}
	x.tellSource(source)
	return sendXML(x, struct {
		XMLName      xml.Name `xml:"CopyPartResult"`
		Xmlns        string   `xml:"xmlns,attr"`
		LastModified string
		ETag         string
		sums
	}{Xmlns: namespace, LastModified: formatTime(part.Modified), ETag: `"` + part.ETag.String() + `"`, sums: sumsOf(part.Checksum)})
}

// cut returns the range of a body that X-Amz-Copy-Source-Range asks for, which
// has both ends and must be within.
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

// digests returns the ETag and the checksum of a copy: it is one piece, even if
// its source was uploaded in parts.
func (x *exchange) digests(source *objects.Version) (objects.ETag, checksum.Sum, error) {
	etag, sum := source.ETag, source.Checksum
	var err error
	if etag.Parts > 0 {
		if etag, err = source.Body.ETag(); err != nil {
			return etag, sum, err
		}
	}
	algorithm, err := algorithmOf(x.r.Header.Get("X-Amz-Checksum-Algorithm"))
	if err != nil {
		return etag, sum, err
	}
	if wanted := cmp.Or(algorithm, sum.Algorithm); wanted != sum.Algorithm || sum.IsComposite() {
		sum, err = source.Body.Checksum(wanted)
	}
	return etag, sum, err
}
