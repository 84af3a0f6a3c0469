package objects

import (
	"crypto/md5" //nolint:gosec // S3's ETags use MD5
	"io"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// ETag computes the ETag of the body, uploaded in one request.
func (b Body) ETag() (ETag, error) {
	digest := md5.New() //nolint:gosec // see the import
	if err := b.copyTo(digest); err != nil {
		return ETag{}, err
	}
	var etag ETag
	digest.Sum(etag.Sum[:0])
	return etag, nil
}

// Checksum computes a checksum of the body; the zero value for None.
func (b Body) Checksum(algorithm checksum.Algorithm) (checksum.Sum, error) {
	if algorithm == checksum.None {
		return checksum.Sum{}, nil
	}
	digest := checksum.New(algorithm)
	if err := b.copyTo(digest); err != nil {
		return checksum.Sum{}, err
	}
	return digest.Checksum(), nil
}

func (b Body) copyTo(w io.Writer) error {
	content := b.Open()
	if _, err := io.Copy(w, content); err != nil {
		_ = content.Close() // the read error is returned
		return err
	}
	return content.Close()
}
