package awschunked_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/awschunked"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// The examples of the S3 API reference, "Signature calculations for the Authorization header:
// transferring payload in multiple chunks" and "… including trailing headers".
const (
	plainSeed   = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
	plainFirst  = "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"
	plainSecond = "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"
	plainLast   = "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"

	trailerSeed   = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
	trailerFirst  = "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"
	trailerSecond = "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"
	trailerLast   = "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"
	trailerLine   = "x-amz-checksum-crc32c:sOO8/Q=="
	trailerSign   = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"
)

var content = strings.Repeat("a", 66560)

func signer(seed string) awschunked.Signer {
	return awschunked.NewSigner(awschunked.Seed{
		Key: sigv4.Derive("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sigv4.Scope{Day: "20130524", Region: "us-east-1"}), Region: "us-east-1",
		Time: time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC), Signature: seed,
	})
}

func chunk(data, signature string) string {
	return fmt.Sprintf("%x;chunk-signature=%s\r\n%s\r\n", len(data), signature, data)
}

func last(signature string) string { return "0;chunk-signature=" + signature + "\r\n" }

//nolint:lll // one case a line
func TestRead(t *testing.T) {
	signed := func() awschunked.Stream { return awschunked.Stream{Signer: signer(plainSeed), Size: 66560} }
	trailer := func() awschunked.Stream {
		return awschunked.Stream{Signer: signer(trailerSeed), Size: 66560, HasTrailer: true, Trailers: []string{"X-Amz-Checksum-Crc32c"}}
	}
	unsigned := func(size int64) awschunked.Stream {
		return awschunked.Stream{Size: size, HasTrailer: true, Trailers: []string{"X-Amz-Checksum-Crc32"}}
	}
	chunks := chunk(content[:65536], plainFirst) + chunk(content[65536:], plainSecond)
	trailed := chunk(content[:65536], trailerFirst) + chunk(content[65536:], trailerSecond) + last(trailerLast)
	tests := map[string]struct {
		reason  string
		stream  awschunked.Stream
		in      string
		want    string
		trailer http.Header
		err     error
	}{
		"Signed": {
			reason: "Amazon's own example must be accepted.",
			stream: signed(), in: chunks + last(plainLast) + "\r\n", want: content, trailer: http.Header{},
		},
		"SignedTrailer": {
			reason: "Amazon's own example must be accepted.",
			stream: trailer(), in: trailed + trailerLine + "\r\nx-amz-trailer-signature:" + trailerSign + "\r\n\r\n",
			want: content, trailer: http.Header{"X-Amz-Checksum-Crc32c": {"sOO8/Q=="}},
		},
		"BareLineFeeds": {
			reason: "minio-go ends trailer lines with a line feed only, and puts an empty line before the signature.",
			stream: trailer(), in: trailed + trailerLine + "\n\r\nx-amz-trailer-signature:" + trailerSign + "\r\n\r\n",
			want: content, trailer: http.Header{"X-Amz-Checksum-Crc32c": {"sOO8/Q=="}},
		},
		"Unsigned": {
			reason: "SDKs send this by default over TLS.",
			stream: unsigned(3), in: "3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n",
			want: "abc", trailer: http.Header{"X-Amz-Checksum-Crc32": {"NSRBwg=="}},
		},
		"AlteredData": {
			reason: "Data that was not signed must not be stored.",
			stream: signed(), in: strings.Replace(chunks, "aaaa", "aaab", 1) + last(plainLast) + "\r\n", err: s3error.ErrSignatureDoesNotMatch,
		},
		"ChunkLeftOut": {
			reason: "Each signature covers the one before it.",
			stream: awschunked.Stream{Signer: signer(plainSeed), Size: 65536},
			in:     chunk(content[:65536], plainFirst) + last(plainLast) + "\r\n", err: s3error.ErrSignatureDoesNotMatch,
		},
		"AlteredTrailer": {
			reason: "Trailers are signed, too.",
			stream: trailer(), in: trailed + "x-amz-checksum-crc32c:AAAAAA==\r\nx-amz-trailer-signature:" + trailerSign + "\r\n\r\n",
			err: s3error.ErrSignatureDoesNotMatch,
		},
		"MissingTrailer": {
			reason: "A checksum that was announced must come.",
			stream: unsigned(3), in: "3\r\nabc\r\n0\r\n\r\n", err: s3error.ErrMalformedTrailer,
		},
		"UnannouncedTrailer": {
			reason: "Only what the request has announced may follow.",
			stream: unsigned(3), in: "3\r\nabc\r\n0\r\nx-amz-meta-a:b\r\n\r\n", err: s3error.ErrMalformedTrailer,
		},
		"SmallFirst": {
			reason: "Only the last chunk may be smaller than 8 KiB.",
			stream: unsigned(8192), in: "1fff\r\n" + content[:8191] + "\r\n1\r\na\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n", err: s3error.ErrInvalidChunkSize,
		},
		"Truncated":   {reason: "The end is missing.", stream: unsigned(3), in: "3\r\nab", err: s3error.ErrIncompleteBody},
		"TooLong":     {reason: "More than declared.", stream: unsigned(2), in: "3\r\nabc\r\n0\r\n\r\n", err: s3error.ErrIncompleteBody},
		"TooShort":    {reason: "Less than declared.", stream: unsigned(4), in: "3\r\nabc\r\n0\r\n\r\n", err: s3error.ErrIncompleteBody},
		"BadSize":     {reason: "Not a number.", stream: unsigned(3), in: "zz\r\n", err: s3error.ErrInvalidRequest},
		"Negative":    {reason: "Not a size.", stream: unsigned(3), in: "-5\r\n", err: s3error.ErrInvalidRequest},
		"Overflow":    {reason: "Larger than an integer.", stream: unsigned(3), in: "ffffffffffffffff\r\n", err: s3error.ErrInvalidRequest},
		"HugeChunk":   {reason: "It is announced, and does not come.", stream: unsigned(1 << 40), in: "7fffffff\r\n", err: s3error.ErrIncompleteBody},
		"LongHeader":  {reason: "Headers are bounded.", stream: unsigned(3), in: strings.Repeat("0", 100_000), err: s3error.ErrInvalidRequest},
		"DataAfter":   {reason: "Nothing may follow.", stream: awschunked.Stream{Size: 0}, in: "0\r\n\r\nGET /", err: s3error.ErrInvalidRequest},
		"NoSeparator": {reason: "A chunk ends where its header says.", stream: unsigned(3), in: "3\r\nabcd\r\n0\r\n\r\n", err: s3error.ErrInvalidRequest},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := awschunked.NewReader(strings.NewReader(tc.in), tc.stream)
			got, err := io.ReadAll(r)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s\nRead(): error %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" && tc.err == nil {
				t.Errorf("%s\nRead(): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.trailer, r.Trailers()); diff != "" {
				t.Errorf("%s\nTrailers(): -want, +got:\n%s", tc.reason, diff)
			}
			if _, again := r.Read(make([]byte, 1)); tc.err != nil && !errors.Is(again, tc.err) {
				t.Errorf("%s\nRead() after its error: %v, want the same again", tc.reason, again)
			}
		})
	}
}

// TestReadInPieces reads with buffers, and from a connection, of all sizes.
func TestReadInPieces(t *testing.T) {
	in := chunk(content[:65536], plainFirst) + chunk(content[65536:], plainSecond) + last(plainLast) + "\r\n"
	readers := map[string]func(io.Reader) io.Reader{
		"All": func(r io.Reader) io.Reader { return r }, "Bytes": iotest.OneByteReader,
		"Halves": iotest.HalfReader, "DataErr": iotest.DataErrReader,
	}
	for name, wrap := range readers {
		t.Run(name, func(t *testing.T) {
			r := awschunked.NewReader(wrap(strings.NewReader(in)), awschunked.Stream{Signer: signer(plainSeed), Size: 66560})
			if err := iotest.TestReader(r, []byte(content)); err != nil {
				t.Error(err)
			}
		})
		t.Run("Unsigned"+name, func(t *testing.T) {
			framed := fmt.Sprintf("2000\r\n%s\r\n2\r\nde\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n", content[:0x2000])
			stream := awschunked.Stream{Size: 0x2002, HasTrailer: true, Trailers: []string{"X-Amz-Checksum-Crc32"}}
			if err := iotest.TestReader(awschunked.NewReader(wrap(strings.NewReader(framed)), stream), []byte(content[:0x2000]+"de")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLargeChunk is about chunks larger than any buffer.
func TestLargeChunk(t *testing.T) {
	const size = 16<<20 + 1
	content := strings.Repeat("a", size)
	tests := map[string]struct {
		reason string
		in     string
		signer awschunked.Signer
		err    error
	}{
		"Unsigned": {
			reason: "It is passed on as it comes; aws-sdk-go-v2 sends the whole object as one chunk over https.",
			in:     fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, content),
		},
		"Signed": {
			reason: "It would have to be kept until its signature is verified.",
			in:     chunk(content, plainFirst), signer: signer(plainSeed), err: s3error.ErrInvalidRequest,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := awschunked.NewReader(strings.NewReader(tc.in), awschunked.Stream{Signer: tc.signer, Size: size})
			got, err := io.ReadAll(r)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s\nReadAll(): error %v, want %v", tc.reason, err, tc.err)
			}
			if err == nil && string(got) != content {
				t.Errorf("%s\nReadAll() = %d bytes that are not the %d that were sent", tc.reason, len(got), size)
			}
		})
	}
}

// TestSignedBeforeRead checks that no data of a signed chunk is passed on before its signature is
// verified.
func TestSignedBeforeRead(t *testing.T) {
	in := chunk(content[:65536], plainFirst) + chunk(content[65536:], plainLast)
	got, err := io.ReadAll(awschunked.NewReader(strings.NewReader(in), awschunked.Stream{Signer: signer(plainSeed), Size: 66560}))
	if !errors.Is(err, s3error.ErrSignatureDoesNotMatch) || len(got) != 65536 {
		t.Errorf("ReadAll() = %d bytes, %v; want the first chunk only, and SignatureDoesNotMatch", len(got), err)
	}
}
