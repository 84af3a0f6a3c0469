package awschunked_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/awschunked"
)

// signedStream frames and signs chunks with the SDK's signer.
func signedStream(f *testing.F, chunks ...string) []byte {
	f.Helper()
	previous, err := hex.DecodeString(plainSeed)
	if err != nil {
		f.Fatal(err)
	}
	signer := v4.NewStreamSigner(aws.Credentials{SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, "s3", "us-east-1", previous)
	var framed bytes.Buffer
	for _, data := range slices.Concat(chunks, []string{""}) {
		if previous, err = signer.GetSignature(f.Context(), nil, []byte(data), time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)); err != nil {
			f.Fatal(err)
		}
		fmt.Fprintf(&framed, "%x;chunk-signature=%x\r\n%s\r\n", len(data), previous, data)
	}
	return framed.Bytes()
}

// FuzzRead generates framings. Returned data must not exceed the received data, and accepted data
// must have the declared length. Only data that was signed for the seeds of each target may be
// accepted as signed.
func FuzzRead(f *testing.F) {
	const accepted, size = "abcde", 5
	f.Add([]byte("3\r\nabc\r\n2\r\nde\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n"), int64(size), true)
	f.Add(signedStream(f, "abc", "de"), int64(size), false)
	f.Add(signedStream(f, "abcde"), int64(size), false)
	f.Add([]byte("ffffffffffffffff\r\n"), int64(1)<<62, true)
	f.Add([]byte("0\n\n\n\n"), int64(0), true)
	f.Fuzz(func(t *testing.T, in []byte, size int64, unsigned bool) {
		stream := awschunked.Stream{Size: size, HasTrailer: true, Trailers: []string{"X-Amz-Checksum-Crc32"}}
		if !unsigned {
			stream = awschunked.Stream{Size: size, Signer: signer(plainSeed)}
		}
		got, err := io.ReadAll(awschunked.NewReader(bytes.NewReader(in), stream))
		switch {
		case len(got) > len(in) || (size >= 0 && int64(len(got)) > size):
			t.Errorf("Read() returned %d bytes of %d, want at most %d", len(got), len(in), size)
		case err == nil && int64(len(got)) != size:
			t.Errorf("Read() returned %d bytes, want %d", len(got), size)
		case err == nil && !unsigned && string(got) != accepted:
			t.Errorf("Read() accepted %q, which has no valid signature", got)
		}
	})
}
