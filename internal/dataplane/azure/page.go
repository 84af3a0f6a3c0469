package azure

import (
	"encoding/base64"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const (
	pageSize       = 512
	maxPageBlob    = 8 << 40
	maxPageWrite   = 4 << 20
	pageSizeHeader = "X-Ms-Blob-Content-Length"
	sequenceHeader = "X-Ms-Blob-Sequence-Number"
)

// createPages creates a page blob without content.
func (s *Service) createPages(x *exchange) error {
	if x.header(pageSizeHeader) == "" {
		return failure.ErrMissingHeader.Because("The header x-ms-blob-content-length is required.")
	}
	size, err := x.pageBlobSize(0)
	if err != nil {
		return err
	}
	sequence, err := number(x.header(sequenceHeader), 0)
	if err != nil {
		return err
	}
	return s.replace(x, properties{Type: pageBlob, SequenceNumber: sequence}, objects.Hole(size), nil)
}

// pageBlobSize returns the size that the request gives a page blob, or else its present size.
func (x *exchange) pageBlobSize(present int64) (int64, error) {
	size, err := number(x.header(pageSizeHeader), present)
	if err == nil && (size%pageSize != 0 || size > maxPageBlob) {
		err = failure.ErrInvalidHeader.Because("The size of a page blob must be a multiple of 512, of at most 8 TiB.")
	}
	return size, err
}

// setPageProperties changes size and sequence number of a page blob, and reports whether the request
// does that.
func (x *exchange) setPageProperties(d *draft) (bool, error) {
	action := strings.ToLower(x.header("X-Ms-Sequence-Number-Action"))
	switch {
	case x.header(pageSizeHeader) == "" && action == "":
		return false, nil
	case d.Type != pageBlob:
		return true, failure.ErrBlobType
	}
	size, err := x.pageBlobSize(d.Body.Size())
	if err != nil {
		return true, err
	}
	d.Body = objects.Join(d.Body.Slice(0, min(size, d.Body.Size())), objects.Hole(max(size-d.Body.Size(), 0)))
	return true, x.setSequence(action, d)
}

func (x *exchange) setSequence(action string, d *draft) error {
	given, err := number(x.header(sequenceHeader), -1)
	if err != nil {
		return err
	}
	switch {
	case action == "":
	case action == "increment" && given >= 0:
		return failure.ErrInvalidHeader.Because("An increment takes no x-ms-blob-sequence-number.")
	case action == "increment":
		d.SequenceNumber++
	case given < 0:
		return failure.ErrMissingHeader.Because("The header x-ms-blob-sequence-number is required.")
	case action == "max":
		d.SequenceNumber = max(d.SequenceNumber, given)
	case action == "update":
		d.SequenceNumber = given
	default:
		return failure.ErrInvalidHeader.Because("The value of x-ms-sequence-number-action must be max, update or increment.")
	}
	return nil
}

// putPage writes a range of a page blob, or clears it.
func (s *Service) putPage(x *exchange) error {
	offset, length, err := x.pageRange("X-Ms-Range", "Range")
	if err != nil {
		return err
	}
	pages := x.body.content
	switch strings.ToLower(x.header("X-Ms-Page-Write")) {
	case "update":
	case "clear":
		if pages.Size() > 0 {
			return failure.ErrInvalidHeader.Because("A request that clears pages has no body.")
		}
		pages = objects.Hole(length)
	default:
		return failure.ErrInvalidHeader.Because("The value of x-ms-page-write must be update or clear.")
	}
	return s.writePages(x, offset, length, pages)
}

func (s *Service) putPageFromURL(x *exchange) error {
	offset, length, err := x.pageRange("X-Ms-Range", "Range")
	if err != nil {
		return err
	}
	if strings.EqualFold(x.header("X-Ms-Page-Write"), "clear") {
		return failure.ErrInvalidHeader.Because("A request that clears pages has no source.")
	}
	pages, err := s.sourceRange(x)
	if err != nil {
		return err
	}
	return s.writePages(x, offset, length, pages)
}

func (s *Service) writePages(x *exchange, offset, length int64, pages objects.Body) error {
	if pages.Size() != length || pages.Size() > maxPageWrite && len(pages.Changes(objects.Body{})) > 0 {
		return failure.ErrPageRange.Because("The range must have the length of the content, and at most 4 MiB.")
	}
	changed, err := s.edit(x, func(current *blob, d *draft) error {
		switch {
		case current.Type != pageBlob:
			return failure.ErrBlobType
		case offset+length > current.Size():
			return failure.ErrPageRange
		}
		if err := x.checkSequence(current.SequenceNumber); err != nil {
			return err
		}
		end := offset + length
		d.Body = objects.Join(current.Body.Slice(0, offset), pages, current.Body.Slice(end, current.Size()-end))
		s.touch(d)
		return nil
	})
	if err != nil {
		return err
	}
	x.set(sequenceHeader, strconv.FormatInt(changed.SequenceNumber, 10))
	return x.created(changed)
}

// pageRange reads a range of whole pages from the first of the headers that the request has.
func (x *exchange) pageRange(headers ...string) (offset, length int64, err error) {
	for _, name := range headers {
		text := x.header(name)
		if text == "" {
			continue
		}
		offset, length, isRange, err := parseRange(text, maxPageBlob)
		if err != nil || !isRange || strings.HasSuffix(text, "-") || offset%pageSize != 0 || length%pageSize != 0 {
			return 0, 0, failure.ErrPageRange.Because("The range must be bytes=FIRST-LAST, of whole pages of 512 bytes.")
		}
		return offset, length, nil
	}
	return 0, 0, failure.ErrMissingHeader.Because("The header x-ms-range is required.")
}

// checkSequence checks the conditions on the sequence number of a page blob.
func (x *exchange) checkSequence(sequence int64) error {
	for name, holds := range map[string]func(given int64) bool{
		"Le": func(given int64) bool { return sequence <= given },
		"Lt": func(given int64) bool { return sequence < given },
		"Eq": func(given int64) bool { return sequence == given },
	} {
		text := x.header("X-Ms-If-Sequence-Number-" + name)
		if text == "" {
			continue
		}
		given, err := number(text, 0)
		if err != nil {
			return err
		}
		if !holds(given) {
			return failure.ErrSequenceNumber
		}
	}
	return nil
}

type (
	pageListXML struct {
		XMLName    xml.Name `xml:"PageList"`
		Ranges     []any
		NextMarker string `xml:"NextMarker,omitempty"`
	}
	pageRangeXML struct {
		XMLName xml.Name `xml:"PageRange"`
		extentXML
	}
	clearRangeXML struct {
		XMLName xml.Name `xml:"ClearRange"`
		extentXML
	}
	extentXML struct {
		Start int64 `xml:"Start"`
		End   int64 `xml:"End"`
	}
)

// pageRanges lists the ranges of a page blob that have content, or the ranges that have changed since
// a snapshot.
func (s *Service) pageRanges(x *exchange) error {
	b, err := s.read(x)
	if err != nil {
		return err
	}
	if b.Type != pageBlob {
		return failure.ErrBlobType
	}
	earlier, err := s.previous(x, b)
	if err != nil {
		return err
	}
	offset, length, _, err := x.rangeOf(b.Size())
	if err != nil {
		return err
	}
	earlier = earlier.Slice(min(offset, earlier.Size()), max(min(length, earlier.Size()-offset), 0))
	list, err := x.pageList(b.Body.Slice(offset, length).Changes(earlier), offset)
	if err != nil {
		return err
	}
	x.describe(b)
	x.set(pageSizeHeader, strconv.FormatInt(b.Size(), 10))
	return x.sendXML(list)
}

// pageList returns a page of a list of ranges, whose offsets count from a start.
func (x *exchange) pageList(all []objects.Extent, start int64) (list pageListXML, err error) {
	limit, err := x.maxResults(len(all))
	if err != nil {
		return list, err
	}
	after, err := x.marker()
	if err != nil {
		return list, err
	}
	first, err := number(after, start)
	if err != nil {
		return list, failure.ErrInvalidQuery
	}
	for _, extent := range all {
		found := extentXML{start + extent.Offset, start + extent.Offset + extent.Length - 1}
		switch {
		case found.Start < first:
		case len(list.Ranges) == limit:
			list.NextMarker = base64.URLEncoding.EncodeToString([]byte(strconv.FormatInt(found.Start, 10)))
			return list, nil
		case extent.IsHole:
			list.Ranges = append(list.Ranges, clearRangeXML{extentXML: found})
		default:
			list.Ranges = append(list.Ranges, pageRangeXML{extentXML: found})
		}
	}
	return list, nil
}

// previous returns the content of the snapshot with which the request compares the blob, or nothing.
func (s *Service) previous(x *exchange, b *blob) (objects.Body, error) {
	id := x.Query.Get("prevsnapshot")
	switch {
	case id == "":
		return objects.Body{}, nil
	case b.isSnapshot() && id > b.ID:
		return objects.Body{}, failure.ErrPreviousNewer
	}
	v, err := x.bucket.Get(x.target.blob, id)
	if err != nil || id == baseID {
		v.Release()
		return objects.Body{}, failure.ErrNoPrevious
	}
	x.Hold(v.Release)
	return v.Body, nil
}
