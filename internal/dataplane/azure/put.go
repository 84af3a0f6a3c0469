package azure

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const (
	maxMetadataBytes = 8 << 10
	defaultType      = "application/octet-stream"
)

func (s *Service) put(x *exchange) error {
	kind := x.header(typeHeader)
	switch {
	case kind == "":
		return failure.ErrMissingHeader.Because("The header x-ms-blob-type is required.")
	case kind != blockBlob && kind != appendBlob && kind != pageBlob:
		return failure.ErrInvalidHeader.Because("The value of x-ms-blob-type must be BlockBlob, AppendBlob or PageBlob.")
	case kind != blockBlob && x.body.content.Size() > 0:
		return failure.ErrInvalidHeader.Because("An append blob or a page blob is created without content.")
	case kind == pageBlob:
		return s.createPages(x)
	}
	made := properties{Type: kind}
	if kind == blockBlob {
		made.MD5 = base64.StdEncoding.EncodeToString(x.body.md5)
	}
	return s.replace(x, made, x.body.content, nil)
}

// replace stores a new blob with the headers, metadata and tags of the request, and responds. The
// properties are its type, digest and sequence number. The source is a copy's, or nil.
func (s *Service) replace(x *exchange, made properties, body objects.Body, source *blob) error {
	a, headers, err := x.attributes(source)
	if err != nil {
		return err
	}
	stored, err := s.change(x, true, func(current *blob) (*draft, error) {
		if err := s.checkReplace(x, current); err != nil {
			return nil, err
		}
		d := s.fresh(made.Type, current)
		d.Body, d.Attributes, d.headers, d.SequenceNumber = body, a, headers, made.SequenceNumber
		d.MD5 = cmp.Or(x.header("X-Ms-Blob-Content-Md5"), made.MD5)
		s.touch(&d)
		return &d, s.setTierOf(x, &d)
	})
	if err != nil {
		return err
	}
	return x.created(stored)
}

// created responds to a request that has written a blob, with the checksums of the body.
func (x *exchange) created(b *blob) error {
	x.describe(b)
	x.set("Content-Md5", base64.StdEncoding.EncodeToString(x.body.md5))
	x.set("X-Ms-Content-Crc64", base64.StdEncoding.EncodeToString(x.body.crc64))
	x.set("X-Ms-Request-Server-Encrypted", "true")
	x.W.WriteHeader(http.StatusCreated)
	return nil
}

// attributes reads headers, metadata and tags of a new blob. A source has the defaults, of which
// metadata is replaced as a whole.
func (x *exchange) attributes(source *blob) (a objects.Attributes, headers objects.Headers, err error) {
	headers.ContentType = defaultType
	if x.operation.body == content { // otherwise these headers describe the body only
		headers.ContentType = cmp.Or(x.header("Content-Type"), defaultType)
		headers.ContentEncoding, headers.ContentLanguage = x.header("Content-Encoding"), x.header("Content-Language")
		headers.CacheControl = x.header("Cache-Control")
	}
	if source != nil {
		headers = source.StandardHeaders()
		a.Metadata = source.Attributes.Metadata
	}
	x.overrideHeaders(&headers)
	given, err := x.metadata()
	if err != nil {
		return a, headers, err
	}
	if len(given) > 0 || source == nil {
		a.Metadata = given
	}
	a.Tags, err = x.tags(source)
	return a, headers, err
}

func (x *exchange) tags(source *blob) (map[string]string, error) {
	switch option := x.header(tagOption); {
	case option != "" && option != "COPY" && option != "REPLACE":
		return nil, failure.ErrInvalidHeader.Because("The value of " + strings.ToLower(tagOption) + " must be COPY or REPLACE.")
	case !x.copiesTags():
		return parseTags(x.header(tagsHeader))
	case x.header(tagsHeader) != "":
		return nil, failure.ErrBothTags
	default:
		return source.Attributes.Tags, nil
	}
}

// overrideHeaders sets the headers that a request gives.
func (x *exchange) overrideHeaders(h *objects.Headers) {
	for name, into := range map[string]*string{
		"Type": &h.ContentType, "Encoding": &h.ContentEncoding, "Language": &h.ContentLanguage, "Disposition": &h.ContentDisposition,
	} {
		*into = cmp.Or(x.header("X-Ms-Blob-Content-"+name), *into)
	}
	h.CacheControl = cmp.Or(x.header("X-Ms-Blob-Cache-Control"), h.CacheControl)
}

// metadata reads the metadata of a request. Names are case-insensitive identifiers, here in lower
// case.
func (x *exchange) metadata() (map[string]string, error) {
	var all map[string]string
	size := 0
	for header, values := range x.R.Header {
		name, ok := strings.CutPrefix(header, metadataPrefix)
		if !ok {
			continue
		}
		name = strings.ToLower(name)
		if !isIdentifier(name) || len(values) != 1 || !isPrintable(values[0]) {
			return nil, failure.ErrMetadata
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = values[0]
		size += len(name) + len(values[0])
	}
	if size > maxMetadataBytes {
		return nil, failure.ErrMetadataTooLarge
	}
	return all, nil
}

func isIdentifier(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func isPrintable(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' })
}

func (s *Service) setMetadata(x *exchange) error {
	given, err := x.metadata()
	if err != nil {
		return err
	}
	changed, err := s.edit(x, func(_ *blob, d *draft) error {
		d.Attributes.Metadata = given
		s.touch(d)
		return nil
	})
	if err != nil {
		return err
	}
	x.describe(changed)
	x.set("X-Ms-Request-Server-Encrypted", "true")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// describing are the headers of a request that set properties of a blob.
var describing = []string{"X-Ms-Blob-Cache-Control", "X-Ms-Blob-Content-Type", "X-Ms-Blob-Content-Encoding", "X-Ms-Blob-Content-Language",
	"X-Ms-Blob-Content-Disposition", "X-Ms-Blob-Content-Md5"}

// setProperties replaces the headers of a blob, and removes missing ones. A request that only changes
// the size or the sequence number of a page blob keeps them. The digest is not verified.
func (s *Service) setProperties(x *exchange) error {
	changed, err := s.edit(x, func(_ *blob, d *draft) error {
		resized, err := x.setPageProperties(d)
		if err != nil {
			return err
		}
		if !resized || slices.ContainsFunc(describing, func(name string) bool { return x.header(name) != "" }) {
			d.headers = objects.Headers{}
			x.overrideHeaders(&d.headers)
			d.MD5 = x.header("X-Ms-Blob-Content-Md5")
		}
		s.touch(d)
		return nil
	})
	if err != nil {
		return err
	}
	x.describe(changed)
	if changed.Type == pageBlob {
		x.set(sequenceHeader, strconv.FormatInt(changed.SequenceNumber, 10))
	}
	x.W.WriteHeader(http.StatusOK)
	return nil
}

func (s *Service) appendBlock(x *exchange) error {
	return s.add(x, x.body.content)
}

const maxAppended = 50_000

func (s *Service) add(x *exchange, block objects.Body) error {
	var offset int64
	changed, err := s.edit(x, func(current *blob, d *draft) error {
		offset = current.Size()
		if err := x.checkAppend(current, block.Size()); err != nil {
			return err
		}
		d.Body, d.MD5 = objects.Join(current.Body, block), ""
		d.Blocks++
		s.touch(d)
		return nil
	})
	if err != nil {
		return err
	}
	x.set("X-Ms-Blob-Append-Offset", strconv.FormatInt(offset, 10))
	x.set("X-Ms-Blob-Committed-Block-Count", strconv.Itoa(changed.Blocks))
	return x.created(changed)
}

func (x *exchange) checkAppend(b *blob, size int64) error {
	limit, err := number(x.header("X-Ms-Blob-Condition-Maxsize"), b.Size()+size)
	if err != nil {
		return err
	}
	if err := x.checkPosition(b); err != nil {
		return err
	}
	switch {
	case size == 0:
		return failure.ErrInvalidHeader.Because("A block that is appended must not be empty.")
	case b.Sealed:
		return failure.ErrSealed
	case b.Size()+size > limit:
		return failure.ErrMaxBlobSize
	case b.Blocks >= maxAppended:
		return failure.ErrBlockCount
	}
	return nil
}

// checkPosition checks that a blob is an append blob of the size that the request expects, if any.
func (x *exchange) checkPosition(b *blob) error {
	position, err := number(x.header("X-Ms-Blob-Condition-Appendpos"), b.Size())
	switch {
	case err != nil:
		return err
	case b.Type != appendBlob:
		return failure.ErrBlobType
	case position != b.Size():
		return failure.ErrAppendPosition
	}
	return nil
}

// seal makes an append blob read-only. Sealing it again changes nothing.
func (s *Service) seal(x *exchange) error {
	changed, err := s.edit(x, func(current *blob, d *draft) error {
		if err := x.checkPosition(current); err != nil {
			return err
		}
		d.modified = current.Modified()
		if !current.Sealed {
			d.Sealed = true
			s.touch(d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.describe(changed)
	x.set("X-Ms-Blob-Sealed", "true")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

func number(text string, missing int64) (int64, error) {
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, failure.ErrInvalidHeader.Because("A position or size must be a number.")
	}
	return n, nil
}
