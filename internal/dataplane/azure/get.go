package azure

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// maxSummedRange is the maximum size of a range with a checksum of its own.
const maxSummedRange = 4 << 20

// describe sets the headers of a response that identify the state of a blob.
func (x *exchange) describe(b *blob) {
	x.set("Etag", b.etag())
	x.set("Last-Modified", b.lastModified().Format(http.TimeFormat))
}

func (s *Service) describeAll(x *exchange, b *blob) {
	x.describe(b)
	h := b.StandardHeaders()
	x.set("Content-Type", h.ContentType)
	x.set("Content-Encoding", h.ContentEncoding)
	x.set("Content-Language", h.ContentLanguage)
	x.set("Content-Disposition", h.ContentDisposition)
	x.set("Cache-Control", h.CacheControl)
	x.set("Content-Md5", b.MD5)
	x.set("Accept-Ranges", "bytes")
	x.set("X-Ms-Creation-Time", b.Created.Format(http.TimeFormat))
	x.set(typeHeader, b.Type)
	x.set("X-Ms-Server-Encrypted", "true")
	x.describeMetadata(b)
	if len(b.Attributes.Tags) > 0 {
		x.set("X-Ms-Tag-Count", strconv.Itoa(len(b.Attributes.Tags)))
	}
	switch b.Type {
	case appendBlob:
		x.set("X-Ms-Blob-Committed-Block-Count", strconv.Itoa(b.Blocks))
		x.set("X-Ms-Blob-Sealed", strconv.FormatBool(b.Sealed))
	case pageBlob:
		x.set(sequenceHeader, strconv.FormatInt(b.SequenceNumber, 10))
	}
	x.describeLease(b.Lease, s.now())
	if c := b.Copy; c.ID != "" {
		x.set("X-Ms-Copy-Id", c.ID)
		x.set("X-Ms-Copy-Source", c.Source)
		x.set("X-Ms-Copy-Status", copySucceeded)
		x.set("X-Ms-Copy-Progress", fmt.Sprintf("%d/%d", c.Size, c.Size))
		x.set("X-Ms-Copy-Completion-Time", c.Completed.Format(http.TimeFormat))
	}
}

// describeMetadata sets headers in lower case, as Azure does: azure-storage-blob for Python finds
// no others.
func (x *exchange) describeMetadata(b *blob) {
	for name, value := range b.Attributes.Metadata {
		x.W.Header()[strings.ToLower(metadataPrefix)+name] = []string{value}
	}
}

func (x *exchange) describeLease(l leaseState, now time.Time) {
	state := l.state(now)
	x.set("X-Ms-Lease-State", state)
	x.set("X-Ms-Lease-Status", leaseStatus(state))
	if state == isLeased {
		x.set("X-Ms-Lease-Duration", l.kind())
	}
}

func leaseStatus(state string) string {
	if state == isLeased || state == breaking {
		return "locked"
	}
	return "unlocked"
}

func (l leaseState) kind() string {
	if l.Duration < 0 {
		return "infinite"
	}
	return "fixed"
}

func (s *Service) getProperties(x *exchange) error {
	b, err := s.read(x)
	if err != nil {
		return err
	}
	s.describeAll(x, b)
	x.replaceHeaders()
	if tier, inferred := tierOf(b); tier != "" {
		x.set(tierHeader, tier)
		x.set("X-Ms-Access-Tier-Inferred", strconv.FormatBool(inferred))
	}
	if !b.TierChanged.IsZero() {
		x.set("X-Ms-Access-Tier-Change-Time", b.TierChanged.Format(http.TimeFormat))
	}
	x.set("Content-Length", strconv.FormatInt(b.Size(), 10))
	x.W.WriteHeader(http.StatusOK)
	return nil
}

func (s *Service) getMetadata(x *exchange) error {
	b, err := s.read(x)
	if err != nil {
		return err
	}
	x.describe(b)
	x.describeMetadata(b)
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// get sends the content of a blob, or a range of it.
func (s *Service) get(x *exchange) error {
	b, err := s.read(x)
	if err != nil {
		return err
	}
	if err := b.checkOnline(); err != nil {
		return err
	}
	offset, length, isRange, err := x.rangeOf(b.Size())
	if err != nil {
		return err
	}
	body := b.Body.Slice(offset, length)
	s.describeAll(x, b)
	x.replaceHeaders()
	if digest := x.W.Header()["Content-Md5"]; digest != nil {
		x.W.Header()["X-Ms-Blob-Content-Md5"] = digest
	}
	status := http.StatusOK
	if isRange {
		status = http.StatusPartialContent
		x.set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", offset, offset+length-1, b.Size()))
		x.W.Header().Del("Content-Md5")
	}
	if err := x.sumRange(body, isRange); err != nil {
		return err
	}
	content, err := b.Open(offset, length)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // only read
	x.set("Content-Length", strconv.FormatInt(length, 10))
	x.W.WriteHeader(status)
	if _, err := io.Copy(x.W, content); err != nil {
		panic(http.ErrAbortHandler) // the client must not take its part for the whole content
	}
	return nil
}

// replacing are the parameters of a signature that replace headers of responses.
var replacing = [...]struct{ name, header string }{
	{"rscc", "Cache-Control"}, {"rscd", "Content-Disposition"}, {"rsce", "Content-Encoding"}, {"rscl", "Content-Language"},
	{"rsct", "Content-Type"},
}

// replaceHeaders sets the headers from the signature.
func (x *exchange) replaceHeaders() {
	for _, one := range replacing {
		x.set(one.header, x.Query.Get(one.name))
	}
}

func (x *exchange) sumRange(body objects.Body, isRange bool) error {
	wantsMD5, wantsCRC64 := isTrue(x.header("X-Ms-Range-Get-Content-Md5")), isTrue(x.header("X-Ms-Range-Get-Content-Crc64"))
	switch {
	case !wantsMD5 && !wantsCRC64:
		return nil
	case wantsMD5 && wantsCRC64 || !isRange:
		return failure.ErrInvalidHeader.Because("One checksum can be requested, with a range.")
	case body.Size() > maxSummedRange:
		return failure.ErrRange.With("A range with a checksum can have at most 4 MiB.")
	}
	digest, cyclic, err := sumsOf(body)
	if err != nil {
		return err
	}
	if wantsMD5 {
		x.set("Content-Md5", base64.StdEncoding.EncodeToString(digest))
	} else {
		x.set("X-Ms-Content-Crc64", base64.StdEncoding.EncodeToString(cyclic))
	}
	return nil
}

func isTrue(text string) bool { return strings.EqualFold(text, "true") }

var oneRange = regexp.MustCompile(`^bytes=(\d+)-(\d*)$`)

// rangeOf reads the range of a request, and ignores a malformed one.
func (x *exchange) rangeOf(size int64) (offset, length int64, isRange bool, err error) {
	text := x.header("X-Ms-Range")
	if text == "" {
		text = x.header("Range")
	}
	offset, length, isRange, err = parseRange(text, size)
	if err != nil {
		x.set("Content-Range", "bytes */"+strconv.FormatInt(size, 10))
	}
	return offset, length, isRange, err
}

func parseRange(text string, size int64) (offset, length int64, isRange bool, err error) {
	bounds := oneRange.FindStringSubmatch(text)
	if len(bounds) != 3 {
		return 0, size, false, nil
	}
	// Digits beyond the range of a number are its maximum.
	offset, _ = strconv.ParseInt(bounds[1], 10, 64)
	last := size - 1
	if bounds[2] != "" {
		given, _ := strconv.ParseInt(bounds[2], 10, 64)
		if given < offset {
			return 0, size, false, nil
		}
		last = min(last, given)
	}
	if offset >= size {
		return 0, 0, false, failure.ErrRange
	}
	return offset, last - offset + 1, true, nil
}
