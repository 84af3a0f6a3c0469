package answers

import (
	"cmp"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// copiedDraft returns the copy: the two directives select the source's or the request's metadata and
// tags.
func copiedDraft(x *s3exchange.Exchange, source *objects.Version) (objects.Draft, error) {
	draft := objects.Draft{
		Body: source.Body, ETag: source.ETag, Checksum: source.Checksum, Attributes: source.Attributes, Parts: nil,
	}
	metadata, err := directive(x.R.Header.Get("X-Amz-Metadata-Directive"))
	if err != nil {
		return draft, err
	}
	tagging, err := directive(x.R.Header.Get("X-Amz-Tagging-Directive"))
	if err != nil {
		return draft, err
	}
	attributes, err := x.Attributes()
	if err != nil {
		return draft, err
	}
	draft.Attributes.Lock = attributes.Lock // never copied
	if copiesToItself(x) && metadata != replace && tagging != replace && !changesStorage(source, attributes) {
		return draft, errCopyToItself
	}
	if metadata == replace {
		draft.Attributes.Headers, draft.Attributes.Metadata = attributes.Headers, attributes.Metadata
	} else {
		draft.Attributes.Headers = redirected(source, attributes)
	}
	if tagging == replace {
		draft.Attributes.Tags = attributes.Tags
	}
	draft.ETag, draft.Checksum, err = digestsOf(x, source)
	return draft, err
}

// changesStorage reports whether a request changes attributes that are never copied. Naming an
// encryption is a change, because it encrypts objects again.
func changesStorage(source *objects.Version, request objects.Attributes) bool {
	before, after := source.StandardHeaders(), request.Headers.Value()
	return before.StorageClass != after.StorageClass || before.Encryption != after.Encryption || after.Encryption != "" ||
		before.WebsiteRedirect != after.WebsiteRedirect
}

// redirected are the headers of the source, except redirection, storage class and encryption, which
// are never copied.
func redirected(source *objects.Version, request objects.Attributes) unique.Handle[objects.Headers] {
	headers := source.StandardHeaders()
	asked := request.Headers.Value()
	headers.WebsiteRedirect, headers.StorageClass, headers.Encryption = asked.WebsiteRedirect, asked.StorageClass, asked.Encryption
	return unique.Make(headers)
}

const replace = "REPLACE"

var errCopyToItself = s3error.ErrInvalidRequest.With("This copy request is illegal because it is trying to copy an object to itself " +
	"without changing the object's metadata, storage class, website redirect location or encryption attributes.")

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
func copiesToItself(x *s3exchange.Exchange) bool {
	return x.Source.Bucket == x.Bucket && x.Source.Key == x.Key && x.Source.Version == ""
}

// digestsOf returns the ETag and the checksum of a copy, which has one part, even if its source was
// uploaded in several.
func digestsOf(x *s3exchange.Exchange, source *objects.Version) (objects.ETag, checksum.Sum, error) {
	etag, sum := source.ETag, source.Checksum
	var err error
	if etag.Parts > 0 {
		if etag, err = source.Body.ETag(); err != nil {
			return etag, sum, err
		}
	}
	algorithm, err := s3exchange.AlgorithmOf(x.R.Header.Get("X-Amz-Checksum-Algorithm"))
	if err != nil {
		return etag, sum, err
	}
	if wanted := cmp.Or(algorithm, sum.Algorithm, checksum.Default); wanted != sum.Algorithm || sum.IsComposite() {
		sum, err = source.Body.Checksum(wanted)
	}
	return etag, sum, err
}
