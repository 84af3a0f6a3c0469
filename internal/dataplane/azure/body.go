package azure

import (
	"bytes"
	"cmp"
	"crypto/md5" //nolint:gosec // Azure uses MD5
	"encoding/base64"
	"encoding/binary"
	"hash"
	"io"
	"net/http"

	"github.com/minio/crc64nvme"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// received is the body of a request.
type received struct {
	document bytes.Buffer
	content  objects.Body
	md5      []byte
	crc64    []byte
}

// sums computes Azure's checksums. Its CRC-64 is NVMe's.
type sums struct {
	md5   hash.Hash
	crc64 hash.Hash64
}

func newSums() sums {
	return sums{md5.New(), crc64nvme.New()} //nolint:gosec // see the import
}

func (s sums) Write(data []byte) (int, error) {
	s.crc64.Write(data)
	return s.md5.Write(data)
}

func (s sums) values() (digest, cyclic []byte) {
	return s.md5.Sum(nil), binary.LittleEndian.AppendUint64(nil, s.crc64.Sum64())
}

// readBody reads and verifies the body before any change. It allocates memory only for received
// bytes, whatever length is declared.
func (s *Service) readBody(x *exchange) error {
	switch x.operation.body {
	case document:
		return s.receive(x, &x.body.document, maxDocumentBytes)
	case content:
		return s.receiveContent(x)
	default:
		return nil
	}
}

func (s *Service) receiveContent(x *exchange) (err error) {
	x.body.content, err = pipeline.Receive(s.options.Store.Blobs(), func(writer io.Writer) error {
		return s.receive(x, writer, s.options.MaxBodyBytes)
	})
	x.Hold(x.body.content.Release)
	return err
}

func (s *Service) receive(x *exchange, to io.Writer, limit int64) error {
	switch {
	case x.R.ContentLength < 0:
		return failure.ErrNoLength
	case x.R.ContentLength > limit:
		return failure.ErrTooLarge
	}
	computed := newSums()
	// The writer reads into its own buffer.
	if _, err := io.Copy(to, io.TeeReader(http.MaxBytesReader(x.W, x.R.Body, limit), computed)); err != nil {
		return err
	}
	x.body.md5, x.body.crc64 = computed.values()
	return verify(x.contentMD5(), x.header("X-Ms-Content-Crc64"), x.body.md5, x.body.crc64)
}

// contentMD5 returns the digest with which the client verifies its body. Put Blob prefers the one that
// it stores.
func (x *exchange) contentMD5() string {
	if x.operation.name == "PutBlob" && x.header(typeHeader) == blockBlob {
		return cmp.Or(x.header("X-Ms-Blob-Content-Md5"), x.header("Content-Md5"))
	}
	return x.header("Content-Md5")
}

// verify compares a body with the client's checksums, if any.
func verify(givenMD5, givenCRC64 string, digest, cyclic []byte) error {
	if givenMD5 != "" && givenCRC64 != "" {
		return failure.ErrBothSums
	}
	want, err := digestOf(givenMD5)
	if err != nil {
		return err
	}
	if want != nil && !bytes.Equal(want, digest) {
		return failure.ErrMD5
	}
	if givenCRC64 == "" {
		return nil
	}
	wantCRC64, err := base64.StdEncoding.DecodeString(givenCRC64)
	if err != nil || len(wantCRC64) != crc64nvme.Size {
		return failure.ErrInvalidHeader.Because("The value of x-ms-content-crc64 must be 64 bits, base64 encoded.")
	}
	if !bytes.Equal(wantCRC64, cyclic) {
		return failure.ErrCRC64
	}
	return nil
}

// digestOf decodes an MD5 digest; nil for none.
func digestOf(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	digest, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(digest) != md5.Size {
		return nil, failure.ErrInvalidMD5
	}
	return digest, nil
}

// sumsOf computes the checksums of a stored body.
func sumsOf(b objects.Body) (digest, cyclic []byte, err error) {
	computed := newSums()
	reader := b.Open()
	_, err = io.Copy(computed, reader)
	if closeErr := reader.Close(); err == nil {
		err = closeErr
	}
	digest, cyclic = computed.values()
	return digest, cyclic, err
}
