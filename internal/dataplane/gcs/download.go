package gcs

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (s *Service) download(x *exchange) error {
	found, err := s.existing(x)
	if err != nil {
		return err
	}
	header := x.W.Header()
	describeAttributes(header, &found.attributes)
	header.Set("ETag", strconv.Quote(x.etag(found)))
	header.Set("Content-Type", cmp.Or(found.ContentType, defaultType))
	for name, value := range map[string]string{
		"Cache-Control": found.CacheControl, "Content-Disposition": found.ContentDisposition, "Content-Language": found.ContentLanguage,
		"Content-Encoding": found.ContentEncoding,
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	for key, value := range found.Metadata {
		header.Set("X-Goog-Meta-"+key, value)
	}
	if isUnpacked(x.R, found.ContentEncoding, found.CacheControl) {
		return x.unpack(found)
	}
	content := &seeker{body: found.version.Body}
	defer content.close()
	http.ServeContent(x.W, x.R, "", found.Updated, content)
	return nil
}

// etag is the content's ETag in the XML API; the JSON API's also changes with metadata.
func (x *exchange) etag(found *object) string {
	if isJSON(x.R.URL.EscapedPath()) {
		return found.etag()
	}
	return found.version.ETag.String()
}

// seeker reads a content from any position.
type seeker struct {
	body objects.Body
	at   int64
	open io.ReadCloser // nil until it is opened at this position
}

func (s *seeker) Read(data []byte) (int, error) {
	if s.open == nil {
		s.open = s.body.Slice(s.at, s.body.Size()-s.at).Open()
	}
	n, err := s.open.Read(data)
	s.at += int64(n)
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.body.Size()
	}
	s.close()
	s.at = offset
	return offset, nil
}

func (s *seeker) close() {
	if s.open != nil {
		_ = s.open.Close() // only read
		s.open = nil
	}
}

func hashesOf(a *attributes) []string {
	hashes := []string{"crc32c=" + a.CRC32C}
	if a.MD5Hash != "" {
		hashes = append(hashes, "md5="+a.MD5Hash)
	}
	return hashes
}

// isUnpacked reports whether Google would decompress the content. See its documentation on
// "Transcoding of gzip-compressed files".
func isUnpacked(r *http.Request, encoding, cacheControl string) bool {
	accepted := strings.Split(strings.ReplaceAll(r.Header.Get("Accept-Encoding"), " ", ""), ",")
	return encoding == "gzip" && !slices.Contains(accepted, "gzip") && !strings.Contains(cacheControl, "no-transform")
}

// setUnpacked changes the headers for a content that is decompressed.
func setUnpacked(header http.Header) {
	header.Del("Content-Encoding")
	header.Del("Content-Length")
	header.Set("Warning", "214 UploadServer gunzipped")
}

// unpack decompresses the content while sending it, because the result may exceed the memory.
func (x *exchange) unpack(o *object) error {
	content := &seeker{body: o.version.Body}
	defer content.close()
	plain, err := gzip.NewReader(content)
	if err != nil {
		return failure.ErrInvalid.With("The content does not match its Content-Encoding")
	}
	setUnpacked(x.W.Header())
	x.W.WriteHeader(http.StatusOK)
	if x.R.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(x.W, plain); err != nil { //nolint:gosec // it is streamed, not stored
		panic(http.ErrAbortHandler) // the client must see that the content is incomplete
	}
	return nil
}
