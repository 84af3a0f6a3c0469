package protocol_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

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
	a := s3test.NewApp(t)
	secure := s3test.NewTLS(t, a.Store)
	overTLS := a.Store.Client(t, a.Key, func(o *s3.Options) { o.BaseEndpoint, o.HTTPClient = &secure.URL, secure.Client() })
	for algorithm := range s3test.Algorithms {
		for transport, client := range map[string]*s3.Client{"header": a.S3, "trailer": overTLS} {
			t.Run(string(algorithm)+"/"+transport, func(t *testing.T) {
				a := a.In(t)
				a.S3 = client
				want := s3test.ChecksumOf(algorithm, "content")
				out := a.Put("k", "content", func(in *s3.PutObjectInput) { in.ChecksumAlgorithm = algorithm })
				head := a.Head("k", "")
				_, got := a.Read("k", "") // the client verifies the downloaded content
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
	a := s3test.NewApp(t)
	a.Put("k", "content")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for name, header := range map[string][]string{
			"not requested": nil, "a range": {"X-Amz-Checksum-Mode", "ENABLED", "Range", "bytes=0-3"},
		} {
			if got := a.Raw(method, "/k", "", header...).Header; got.Get("X-Amz-Checksum-Crc32") != "" || got.Get("X-Amz-Checksum-Type") != "" {
				t.Errorf("%s, %s: the answer has %v", method, name, got)
			}
		}
		got := a.Raw(method, "/k", "", "X-Amz-Checksum-Mode", "ENABLED").Header
		if got.Get("X-Amz-Checksum-Crc32") != s3test.ChecksumOf("CRC32", "content") {
			t.Errorf("%s: the answer has %v", method, got)
		}
	}
}

// putTrailer uploads "content" with a trailing checksum.
func putTrailer(a *s3test.App, key, name, line string) s3test.Answer {
	a.Helper()
	return a.Raw(http.MethodPut, key, "7\r\ncontent\r\n0\r\n"+line+"\r\n",
		"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Trailer", name, "X-Amz-Decoded-Content-Length", "7")
}

// TestWrongChecksums: content with a wrong checksum is not stored.
func TestWrongChecksums(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "kept")
	for algorithm := range s3test.Algorithms {
		name := strings.ToLower(checksumHeader(algorithm))
		right, wrong := s3test.ChecksumOf(algorithm, "content"), s3test.ChecksumOf(algorithm, "another")
		other := "x-amz-checksum-sha256"
		if name == other {
			other = "x-amz-checksum-sha1"
		}
		put := func(header ...string) s3test.Answer { return a.Raw(http.MethodPut, "/k", "content", header...) }
		for reason, tc := range map[string]struct {
			got  s3test.Answer
			want string
		}{
			"another content's": {put(name, wrong), "BadDigest"},
			"not base64":        {put(name, "?"), "InvalidRequest"},
			"too short":         {put(name, "AAA="), "InvalidRequest"},
			"of parts":          {put(name, right+"-2"), "InvalidRequest"},
			"two":               {put(name, right, other, "AAAA"), "InvalidRequest"},
			"a wrong trailer":   {putTrailer(a, "/k", name, name+":"+wrong+"\r\n"), "BadDigest"},
			"no trailer":        {putTrailer(a, "/k", name, ""), "MalformedTrailerError"},
			"another trailer":   {putTrailer(a, "/k", name, other+":"+right+"\r\n"), "MalformedTrailerError"},
		} {
			if tc.got.Status != http.StatusBadRequest || s3test.Code(t, tc.got.Body) != tc.want {
				t.Errorf("%s, %s: answer %d, want %s: %s", algorithm, reason, tc.got.Status, tc.want, tc.got.Body)
			}
		}
		if got := putTrailer(a, "/good", name, name+":"+right+"\r\n"); got.Status != http.StatusOK || got.Header.Get(name) != right {
			t.Errorf("%s, a right trailer: answer %d, %v: %s", algorithm, got.Status, got.Header, got.Body)
		}
	}
	if content, _ := a.Read("k", ""); content != "kept" {
		t.Errorf("the object is %q", content)
	}
}

var kinds = map[types.ChecksumType][]types.ChecksumAlgorithm{
	types.ChecksumTypeComposite:  {"CRC32", "CRC32C", "SHA1", "SHA256"},
	types.ChecksumTypeFullObject: {"CRC32", "CRC32C", "CRC64NVME"},
}

func ofUpload(kind types.ChecksumType, algorithm types.ChecksumAlgorithm, parts ...string) string {
	if kind == types.ChecksumTypeFullObject {
		return s3test.ChecksumOf(algorithm, strings.Join(parts, ""))
	}
	var digests []byte
	for _, part := range parts {
		digests = append(digests, s3test.RawChecksum(algorithm, part)...)
	}
	return fmt.Sprint(s3test.ChecksumOf(algorithm, string(digests)), "-", len(parts))
}

func TestChecksumsOfUploads(t *testing.T) {
	a := s3test.NewApp(t)
	for kind, all := range kinds {
		for _, algorithm := range all {
			t.Run(string(kind)+"/"+string(algorithm), func(t *testing.T) {
				a := a.In(t)
				u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm, in.ChecksumType = algorithm, kind })
				if u.ChecksumAlgorithm != algorithm || u.ChecksumType != kind {
					t.Errorf("CreateMultipartUpload() = %q, %q", u.ChecksumAlgorithm, u.ChecksumType)
				}
				first, second := a.Part(u, 1, s3test.MinPart), a.Part(u, 2, "end")
				listed, end := a.Parts(u, 10), s3test.ChecksumOf(algorithm, "end")
				if checksumIn(listed[1], algorithm) != end || checksumIn(second, algorithm) != end {
					t.Errorf("part 2 is %+v, and listed as %+v", second, listed[1])
				}
				done, err := a.Complete(u, first, second)
				a.Must(err)
				want, head := ofUpload(kind, algorithm, s3test.MinPart, "end"), a.Head("k", "")
				if checksumIn(done, algorithm) != want || checksumIn(head, algorithm) != want ||
					done.ChecksumType != kind || head.ChecksumType != kind {
					t.Errorf("completed with %q %q, and HEAD says %q %q; want %q",
						checksumIn(done, algorithm), done.ChecksumType, checksumIn(head, algorithm), head.ChecksumType, want)
				}
				if content, _ := a.Read("k", ""); content != s3test.MinPart+"end" {
					t.Errorf("the object has %d bytes", len(content))
				}
				readPart(a, kind, algorithm)
			})
		}
	}
}

// readPart reads part 2, which has a checksum of its own.
func readPart(a *s3test.App, kind types.ChecksumType, algorithm types.ChecksumAlgorithm) {
	a.Helper()
	want := s3test.ChecksumOf(algorithm, "end")
	got := a.Raw(http.MethodGet, "/k?partNumber=2", "", "X-Amz-Checksum-Mode", "ENABLED")
	found, of := got.Header.Get(checksumHeader(algorithm)), got.Header.Get("X-Amz-Checksum-Type")
	if found != want || of != string(kind) || got.Body != "end" {
		a.Errorf("part 2 is %.20q with checksum %q %q, want %q %q", got.Body, found, of, want, kind)
	}
}
