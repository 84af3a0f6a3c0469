package authentication_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// streaming is an upload with signed chunks, as minio-go makes it over plain HTTP, on which
// everything can be changed.
type streaming struct {
	s3test.Signed

	chunks  []string // of data; the empty one at the end is added
	trailer bool
	// alter changes the framed body, after it has been signed.
	alter func(chunks []string, tail string) ([]string, string)
}

// build signs the head, and then each chunk with the previous signature.
func (in streaming) build(ctx context.Context, endpoint string) (*http.Request, error) {
	content := strings.Join(in.chunks, "")
	before := in.Before
	in.Before = func(r *http.Request) {
		r.Header.Set("X-Amz-Content-Sha256", signedStream)
		r.Header.Set("X-Amz-Decoded-Content-Length", fmt.Sprint(len(content)))
		r.Header.Set("Content-Encoding", "aws-chunked")
		if in.trailer {
			r.Header.Set("X-Amz-Content-Sha256", signedStream+"-TRAILER")
			r.Header.Set("X-Amz-Trailer", "x-amz-checksum-crc32")
		}
		r.ContentLength = 0 // still unknown, and need not be signed
		if before != nil {
			before(r)
		}
	}
	r, err := in.Signed.Build(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	chunks, tail, err := in.frame(ctx, r.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	if in.alter != nil {
		chunks, tail = in.alter(chunks, tail)
	}
	body := strings.Join(chunks, "") + tail
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return r, nil
}

func (in streaming) frame(ctx context.Context, authorization string) (framed []string, tail string, err error) {
	_, seed, _ := strings.Cut(authorization, "Signature=")
	previous, err := hex.DecodeString(seed)
	if err != nil {
		return nil, "", err
	}
	signer := v4.NewStreamSigner(aws.Credentials{SecretAccessKey: in.Credentials.SecretAccessKey}, in.Service, in.Region, previous)
	for _, data := range append(slices.Clone(in.chunks), "") {
		if previous, err = signer.GetSignature(ctx, nil, []byte(data), in.At.UTC()); err != nil {
			return nil, "", err
		}
		framed = append(framed, fmt.Sprintf("%x;chunk-signature=%x\r\n%s\r\n", len(data), previous, data))
	}
	if !in.trailer {
		return framed, "", nil
	}
	framed[len(framed)-1] = strings.TrimSuffix(framed[len(framed)-1], "\r\n") // the trailers come first
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(strings.Join(in.chunks, ""))))
	line := "x-amz-checksum-crc32:" + base64.StdEncoding.EncodeToString(sum[:])
	return framed, fmt.Sprintf("%s\r\nx-amz-trailer-signature:%x\r\n\r\n", line, in.signTrailer(line+"\n", previous)), nil
}

func (in streaming) signTrailer(lines string, previous []byte) []byte {
	sum := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	day := in.At.UTC().Format("20060102")
	key := []byte("AWS4" + in.Credentials.SecretAccessKey)
	for _, part := range []string{day, in.Region, in.Service, "aws4_request"} {
		key = sum(key, part)
	}
	return sum(key, fmt.Sprintf("AWS4-HMAC-SHA256-TRAILER\n%s\n%s/%s/%s/aws4_request\n%x\n%x",
		in.At.UTC().Format("20060102T150405Z"), day, in.Region, in.Service, previous, sha256.Sum256([]byte(lines))))
}

//nolint:lll // one case a line
func TestSignedStreams(t *testing.T) {
	s := s3test.ServiceAccount(t, s3test.Options{})
	s.Bucket(t, "western", s3test.InRegion("us-west-2"))
	app := s.Account(t, "app-with-keys", s3test.ReadWrite("photos"), s3test.ReadWrite("western"))
	session := beginSession(t, s)
	reader := s.Client(t, app)
	const mismatch, trailer = "SignatureDoesNotMatch", "MalformedTrailerError"
	type framing = func([]string, string) ([]string, string)
	data := func(change func([]string)) framing {
		return func(chunks []string, tail string) ([]string, string) {
			change(chunks)
			return chunks, tail
		}
	}
	end := func(change func(string) string) framing {
		return func(chunks []string, tail string) ([]string, string) {
			if tail != "" { // as without a trailer
				tail = change(tail)
			}
			return chunks, tail
		}
	}
	// want has two codes if an upload with a trailer is rejected with another one.
	tests := map[string]struct {
		reason  string
		change  func(*streaming)
		want    string
		trailer string
	}{
		"Good":       {reason: "As it should be.", change: func(*streaming) {}},
		"SmallFirst": {reason: "Only the last may be small.", change: func(in *streaming) { in.chunks[0] = in.chunks[0][:8191] }, want: "InvalidChunkSizeError"},
		"LeastFirst": {reason: "All but the last must have that many bytes.", change: func(in *streaming) { in.chunks[0] = in.chunks[0][:8192] }},
		"OneChunk":   {reason: "No data but one.", change: func(in *streaming) { in.chunks = in.chunks[:1] }},
		"Empty":      {reason: "No data at all.", change: func(in *streaming) { in.chunks = nil }},
		"Region":     {reason: "The bucket's region is part of the key.", change: func(in *streaming) { in.Path, in.Region = "/western/k", "us-west-2" }},
		"Session": {reason: "The session's secret signs the chunks.", change: func(in *streaming) {
			in.Credentials = session.Credentials
			in.Before = s3test.SetHeader("X-Amz-Security-Token", session.token)
		}},
		"WrongSecret": {reason: "Head and chunks.", change: func(in *streaming) { in.Credentials.SecretAccessKey = "wrong" }, want: mismatch},
		"AlteredData": {reason: "Changed on the way.", change: func(in *streaming) {
			in.alter = data(func(c []string) { c[1] = strings.Replace(c[1], "second", "Second", 1) })
		}, want: mismatch},
		"OtherData": {reason: "A chunk of another upload.", change: func(in *streaming) { in.alter = data(func(c []string) { c[0] = c[1] }) }, want: mismatch},
		"Swapped":   {reason: "In another order.", change: func(in *streaming) { in.alter = data(func(c []string) { c[0], c[1] = c[1], c[0] }) }, want: mismatch},
		"Twice":     {reason: "A chunk once more.", change: func(in *streaming) { in.alter = data(func(c []string) { c[1] += c[1] }) }, want: "IncompleteBody"},
		"LeftOut":   {reason: "A chunk is missing.", change: func(in *streaming) { in.alter = data(func(c []string) { c[1] = "" }) }, want: mismatch},
		"CutShort":  {reason: "The end is missing.", change: func(in *streaming) { in.alter = data(func(c []string) { c[2] = "" }) }, want: "IncompleteBody", trailer: "InvalidRequest"},
		"EndedEarly": {reason: "An end that was not signed.", change: func(in *streaming) {
			in.alter = data(func(c []string) { c[1] = ""; c[2] = strings.Replace(c[2], "signature=", "signature=0", 1) })
		}, want: mismatch},
		"NoSignatures": {reason: "The kind promises them.", change: func(in *streaming) { in.alter = data(func(c []string) { c[0] = "5\r\nfirst\r\n" }) }, want: mismatch},
		"OtherTime": {reason: "The head is of another time than the chunks.", change: func(in *streaming) {
			in.After = func(r *http.Request) {
				r.Header.Set("X-Amz-Date", in.At.UTC().Add(time.Second).Format("20060102T150405Z"))
			}
		}, want: mismatch},
		"MoreAnnounced": {reason: "Another length than was signed.", change: func(in *streaming) {
			in.After = func(r *http.Request) { r.Header.Set("X-Amz-Decoded-Content-Length", "6") }
		}, want: mismatch},
		"OtherTrailer": {reason: "Changed on the way.", change: func(in *streaming) {
			in.alter = end(func(tail string) string { return strings.Replace(tail, ":", ":A", 1) })
		}, trailer: mismatch},
		"NoTrailer": {reason: "It was announced.", change: func(in *streaming) {
			in.alter = end(func(tail string) string { return tail[strings.Index(tail, "\r\n")+2:] })
		}, trailer: trailer},
		"NoSignature": {reason: "Trailers are signed, too.", change: func(in *streaming) {
			in.alter = end(func(tail string) string { return tail[:strings.Index(tail, "\r\n")+2] })
		}, trailer: mismatch},
	}
	for name, tc := range tests {
		for _, trailed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/trailer=%t", name, trailed), func(t *testing.T) {
				in := streaming{
					Signed: s3test.Signed{Method: http.MethodPut, Path: "/photos/k", Credentials: app, Region: s.Region(), Service: "s3", At: time.Now()},
					chunks: []string{strings.Repeat("first", 2000), "second"}, trailer: trailed,
				}
				want := tc.want
				if trailed && tc.trailer != "" {
					want = tc.trailer
				}
				s3test.Put(t, reader, "k", "kept")
				tc.change(&in)
				r, err := in.build(t.Context(), s.URL)
				if err != nil {
					t.Fatal(err)
				}
				if in.After != nil {
					in.After(r)
				}
				_, body := s3test.Do(t, r)
				if got := s3test.CodeOf(body); got != want {
					t.Errorf("%s\n%q, want %q", tc.reason, got, want)
				}
				stored := strings.Join(in.chunks, "")
				if want != "" || in.Path != "/photos/k" {
					stored = "kept"
				}
				if got := s3test.Get(t, reader, "k"); got != stored {
					t.Errorf("%s\nthe object is %q, want %q", tc.reason, got, stored)
				}
			})
		}
	}
}
