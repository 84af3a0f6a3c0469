package gcs

import (
	"net/http"
	"strings"
)

// checksums are the client's checksums of the content, in base64; empty if it sends
// none.
type checksums struct{ crc32c, md5 string }

// declared reads the header X-Goog-Hash and the metadata of an upload.
func declared(header http.Header, d document) (sums checksums, err error) {
	if sums.crc32c, err = d.text("crc32c"); err != nil {
		return sums, err
	}
	if sums.md5, err = d.text("md5Hash"); err != nil {
		return sums, err
	}
	for _, line := range header.Values("X-Goog-Hash") {
		for spec := range strings.SplitSeq(line, ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(spec), "="); name {
			case "crc32c":
				sums.crc32c = value
			case "md5":
				sums.md5 = value
			}
		}
	}
	return sums, nil
}

// verify compares the content with the client's checksums.
func (c checksums) verify(content []byte) error {
	switch {
	case c.crc32c != "" && c.crc32c != crc32cOf(content):
		return errInvalid.with("Provided CRC32C doesn't match the content")
	case c.md5 != "" && c.md5 != md5Of(content):
		return errInvalid.with("Provided MD5 hash doesn't match the content")
	}
	return nil
}
