package store_test

import (
	"crypto/sha1" //nolint:gosec // an algorithm of the protocol, not a protection
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// algorithms are S3's, from the standard library.
var algorithms = map[types.ChecksumAlgorithm]func() hash.Hash{
	types.ChecksumAlgorithmCrc32:     func() hash.Hash { return crc32.NewIEEE() },
	types.ChecksumAlgorithmCrc32c:    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	types.ChecksumAlgorithmCrc64nvme: func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
	types.ChecksumAlgorithmSha1:      sha1.New,
	types.ChecksumAlgorithmSha256:    sha256.New,
}

func rawChecksum(algorithm types.ChecksumAlgorithm, content string) []byte {
	h := algorithms[algorithm]()
	h.Write([]byte(content))
	return h.Sum(nil)
}

func checksumOf(algorithm types.ChecksumAlgorithm, content string) string {
	return base64.StdEncoding.EncodeToString(rawChecksum(algorithm, content))
}

func checksumHeader(algorithm types.ChecksumAlgorithm) string {
	return http.CanonicalHeaderKey("x-amz-checksum-" + string(algorithm))
}

// checksumIn returns the checksum in a response of the client.
func checksumIn(out any, algorithm types.ChecksumAlgorithm) string {
	field := reflect.Indirect(reflect.ValueOf(out)).FieldByName("Checksum" + string(algorithm))
	if field.IsNil() {
		return ""
	}
	return field.Elem().String()
}

// TestChecksums uploads with each algorithm: over HTTP the client sends the checksum in a header,
// over TLS in a trailer.
func TestChecksums(t *testing.T) {
	a := newApp(t)
	secure := newTLS(t, a.store)
	overTLS := a.store.client(t, a.key, func(o *s3.Options) { o.BaseEndpoint, o.HTTPClient = &secure.URL, secure.Client() })
	for algorithm := range algorithms {
		for transport, client := range map[string]*s3.Client{"header": a.s3, "trailer": overTLS} {
			t.Run(string(algorithm)+"/"+transport, func(t *testing.T) {
				a := a.in(t)
				a.s3 = client
				want := checksumOf(algorithm, "content")
				out := a.put("k", "content", func(in *s3.PutObjectInput) { in.ChecksumAlgorithm = algorithm })
				head := a.head("k", "")
				_, got := a.read("k", "") // the client verifies the downloaded content
				for what, found := range map[string]string{
					"PutObject": checksumIn(out, algorithm), "HeadObject": checksumIn(head, algorithm), "GetObject": checksumIn(got, algorithm),
				} {
					if found != want {
						t.Errorf("%s says %q, want %q", what, found, want)
					}
				}
				if head.ChecksumType != types.ChecksumTypeFullObject {
					t.Errorf("HeadObject() has the type %q", head.ChecksumType)
				}
			})
		}
	}
}

// TestChecksumsTold: a checksum is sent on request, and only if it covers the whole response.
func TestChecksumsTold(t *testing.T) {
	a := newApp(t)
	a.put("k", "content")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for name, header := range map[string][]string{
			"not requested": nil, "a range": {"X-Amz-Checksum-Mode", "ENABLED", "Range", "bytes=0-3"},
		} {
			if got := a.raw(method, "/k", "", header...).header; got.Get("X-Amz-Checksum-Crc32") != "" || got.Get("X-Amz-Checksum-Type") != "" {
				t.Errorf("%s, %s: the answer has %v", method, name, got)
			}
		}
		got := a.raw(method, "/k", "", "X-Amz-Checksum-Mode", "ENABLED").header
		if got.Get("X-Amz-Checksum-Crc32") != checksumOf("CRC32", "content") {
			t.Errorf("%s: the answer has %v", method, got)
		}
	}
}

// putTrailer uploads "content" with a trailing checksum.
func (a *app) putTrailer(key, name, line string) answer {
	a.Helper()
	return a.raw(http.MethodPut, key, "7\r\ncontent\r\n0\r\n"+line+"\r\n",
		"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Trailer", name, "X-Amz-Decoded-Content-Length", "7")
}

// TestWrongChecksums: content with a wrong checksum is not stored.
func TestWrongChecksums(t *testing.T) {
	a := newApp(t)
	a.put("k", "kept")
	for algorithm := range algorithms {
		name, right, wrong := strings.ToLower(checksumHeader(algorithm)), checksumOf(algorithm, "content"), checksumOf(algorithm, "another")
		other := "x-amz-checksum-sha256"
		if name == other {
			other = "x-amz-checksum-sha1"
		}
		put := func(header ...string) answer { return a.raw(http.MethodPut, "/k", "content", header...) }
		for reason, tc := range map[string]struct {
			got  answer
			want string
		}{
			"another content's": {put(name, wrong), "BadDigest"},
			"not base64":        {put(name, "?"), "InvalidRequest"},
			"too short":         {put(name, "AAA="), "InvalidRequest"},
			"of parts":          {put(name, right+"-2"), "InvalidRequest"},
			"two":               {put(name, right, other, "AAAA"), "InvalidRequest"},
			"a wrong trailer":   {a.putTrailer("/k", name, name+":"+wrong+"\r\n"), "BadDigest"},
			"no trailer":        {a.putTrailer("/k", name, ""), "MalformedTrailerError"},
			"another trailer":   {a.putTrailer("/k", name, other+":"+right+"\r\n"), "MalformedTrailerError"},
		} {
			if tc.got.status != http.StatusBadRequest || code(t, tc.got.body) != tc.want {
				t.Errorf("%s, %s: answer %d, want %s: %s", algorithm, reason, tc.got.status, tc.want, tc.got.body)
			}
		}
		if got := a.putTrailer("/good", name, name+":"+right+"\r\n"); got.status != http.StatusOK || got.header.Get(name) != right {
			t.Errorf("%s, a right trailer: answer %d, %v: %s", algorithm, got.status, got.header, got.body)
		}
	}
	if content, _ := a.read("k", ""); content != "kept" {
		t.Errorf("the object is %q", content)
	}
}

var kinds = map[types.ChecksumType][]types.ChecksumAlgorithm{
	types.ChecksumTypeComposite:  {"CRC32", "CRC32C", "SHA1", "SHA256"},
	types.ChecksumTypeFullObject: {"CRC32", "CRC32C", "CRC64NVME"},
}

func ofUpload(kind types.ChecksumType, algorithm types.ChecksumAlgorithm, parts ...string) string {
	if kind == types.ChecksumTypeFullObject {
		return checksumOf(algorithm, strings.Join(parts, ""))
	}
	var digests []byte
	for _, part := range parts {
		digests = append(digests, rawChecksum(algorithm, part)...)
	}
	return fmt.Sprint(checksumOf(algorithm, string(digests)), "-", len(parts))
}

func TestChecksumsOfUploads(t *testing.T) {
	a := newApp(t)
	for kind, all := range kinds {
		for _, algorithm := range all {
			t.Run(string(kind)+"/"+string(algorithm), func(t *testing.T) {
				a := a.in(t)
				u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm, in.ChecksumType = algorithm, kind })
				if u.ChecksumAlgorithm != algorithm || u.ChecksumType != kind {
					t.Errorf("CreateMultipartUpload() = %q, %q", u.ChecksumAlgorithm, u.ChecksumType)
				}
				first, second := a.part(u, 1, minPart), a.part(u, 2, "end")
				listed, end := a.parts(u, 10), checksumOf(algorithm, "end")
				if checksumIn(listed[1], algorithm) != end || checksumIn(second, algorithm) != end {
					t.Errorf("part 2 is %+v, and listed as %+v", second, listed[1])
				}
				done, err := a.complete(u, first, second)
				a.must(err)
				want, head := ofUpload(kind, algorithm, minPart, "end"), a.head("k", "")
				if checksumIn(done, algorithm) != want || checksumIn(head, algorithm) != want ||
					done.ChecksumType != kind || head.ChecksumType != kind {
					t.Errorf("completed with %q %q, and HEAD says %q %q; want %q",
						checksumIn(done, algorithm), done.ChecksumType, checksumIn(head, algorithm), head.ChecksumType, want)
				}
				if content, _ := a.read("k", ""); content != minPart+"end" {
					t.Errorf("the object has %d bytes", len(content))
				}
				a.readPart(kind, algorithm)
			})
		}
	}
}

// readPart reads part 2, which has a checksum of its own.
func (a *app) readPart(kind types.ChecksumType, algorithm types.ChecksumAlgorithm) {
	a.Helper()
	want := checksumOf(algorithm, "end")
	got := a.raw(http.MethodGet, "/k?partNumber=2", "", "X-Amz-Checksum-Mode", "ENABLED")
	found, of := got.header.Get(checksumHeader(algorithm)), got.header.Get("X-Amz-Checksum-Type")
	if found != want || of != string(kind) || got.body != "end" {
		a.Errorf("part 2 is %.20q with checksum %q %q, want %q %q", got.body, found, of, want, kind)
	}
}
