package gcs

import (
	"crypto/md5" //nolint:gosec // what GCS has clients send
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"
)

// checksums are what a client says of the content, in base64; empty if it says
// nothing.
type checksums struct{ crc32c, md5 string }

// declared reads the header X-Goog-Hash and the metadata of an upload.
func declared(header http.Header, d document) (checksums, error) {
	var sums checksums
	var err error
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

// verify compares the content with what was said of it.
func (c checksums) verify(content []byte) error {
	if c.crc32c != "" {
		sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
		if base64.StdEncoding.EncodeToString(sum) != c.crc32c {
			return errInvalid.with("Provided CRC32C doesn't match the content")
		}
	}
	if c.md5 != "" {
		sum := md5.Sum(content) //nolint:gosec // what GCS has clients send
		if base64.StdEncoding.EncodeToString(sum[:]) != c.md5 {
			return errInvalid.with("Provided MD5 hash doesn't match the content")
		}
	}
	return nil
}
