package authentication_test

import (
	"crypto/md5" //nolint:gosec // S3 uses MD5
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// Headers that the AWS SDKs for Java and .NET add to their requests, as these SDKs document and log them.
var (
	java1 = []string{
		"User-Agent", "aws-sdk-java/1.12.797 Linux/6.1 OpenJDK_64-Bit_Server_VM/17.0.15", "Amz-Sdk-Invocation-Id",
		"0b4f6c1e-7f7b-4a44-b4c8-2f3b6d5f3e10", "Amz-Sdk-Request", "attempt=1;max=4", "Amz-Sdk-Retry", "0/0/500",
		"Content-Type", "application/octet-stream",
	}
	java2 = []string{
		"User-Agent", "aws-sdk-java/2.42.0 md/io#sync md/http#Apache ua/2.1 lang/java#17.0.15", "Amz-Sdk-Invocation-Id",
		"0b4f6c1e-7f7b-4a44-b4c8-2f3b6d5f3e10", "Amz-Sdk-Request", "attempt=1; max=4",
	}
	dotnet = []string{
		"User-Agent", "aws-sdk-dotnet-coreclr/4.0.17.1 ua/2.1 os/linux md/.NET_8.0", "Amz-Sdk-Invocation-Id",
		"0b4f6c1e-7f7b-4a44-b4c8-2f3b6d5f3e10", "Amz-Sdk-Request", "attempt=1; max=5",
	}
)

// TestOtherSDKs sends requests as the AWS SDKs for Java and .NET do, for which these tests have no runtime: a small life
// of an object with each.
//
//nolint:lll // one request a line
func TestOtherSDKs(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	app := s.Account(t, "app", s3test.ReadWrite("photos"))
	large := strings.Repeat("x", 128<<10)
	const deletion = `<Delete><Object><Key>k 1</Key></Object><Object><Key>copy</Key></Object></Delete>`
	digest := md5.Sum([]byte(deletion)) //nolint:gosec // as above
	ofDeletion := base64.StdEncoding.EncodeToString(digest[:])
	const crc32, sdkAlgorithm, expect = "X-Amz-Checksum-Crc32", "X-Amz-Sdk-Checksum-Algorithm", "Expect"
	for sdk, life := range map[string]struct {
		header []string
		steps  []sdkStep
	}{
		"Java 1": {java1, []sdkStep{
			{method: "PUT", path: "/photos/k%201", chunks: []string{large, "end"}, header: []string{expect, "100-continue"}},
			{method: "GET", path: "/photos/k%201", header: []string{"Range", "bytes=0-9223372036854775806"}, status: 206, want: large + "end"},
			{method: "PUT", path: "/photos/copy", header: []string{"X-Amz-Copy-Source", "/photos/k%201", "X-Amz-Metadata-Directive", "COPY"}, want: "CopyObjectResult"},
			{method: "POST", path: "/photos/parts?uploads=", want: "UploadId"},
			{method: "GET", path: "/photos/?prefix=&max-keys=1000&encoding-type=url", want: "<Key>k%201</Key>"},
			{method: "POST", path: "/photos/?delete", body: deletion, header: []string{"Content-Md5", ofDeletion}, want: "<Deleted><Key>k 1</Key></Deleted>"},
		}},
		"Java 2": {java2, []sdkStep{
			{
				method: "PUT", path: "/photos/k%201", chunks: []string{large, "end"}, trailer: true,
				header: []string{expect, "100-continue", sdkAlgorithm, "CRC32", "Content-Type", "text/plain"},
			},
			{method: "GET", path: "/photos/k%201", header: []string{"X-Amz-Checksum-Mode", "ENABLED"}, want: large + "end", checksum: true},
			{method: "PUT", path: "/photos/copy", header: []string{"X-Amz-Copy-Source", "photos/k%201"}, want: "CopyObjectResult"},
			{method: "GET", path: "/photos?list-type=2&encoding-type=url", want: "<Key>k%201</Key>"},
			{
				method: "POST", path: "/photos?delete", body: deletion, want: "<Deleted><Key>k 1</Key></Deleted>",
				header: []string{sdkAlgorithm, "CRC32", crc32, s3test.ChecksumOf("CRC32", deletion), "Content-Type", "application/xml"},
			},
		}},
		".NET": {dotnet, []sdkStep{
			{method: "PUT", path: "/photos/k%201", chunks: []string{large[:80<<10], "end"}, header: []string{expect, "100-continue", "Content-Type", "text/plain"}},
			{
				method: "PUT", path: "/photos/k%201", chunks: []string{large[:80<<10], "end"}, trailer: true,
				header: []string{expect, "100-continue", sdkAlgorithm, "CRC32", "Content-Type", "text/plain"},
			},
			{method: "GET", path: "/photos/k%201", header: []string{"X-Amz-Checksum-Mode", "ENABLED"}, want: large[:80<<10] + "end", checksum: true},
			{method: "PUT", path: "/photos/copy", header: []string{"X-Amz-Copy-Source", "/photos/k%201", "X-Amz-Metadata-Directive", "COPY"}, want: "CopyObjectResult"},
			{method: "GET", path: "/photos?list-type=2", want: "<Key>k 1</Key>"},
			{
				method: "POST", path: "/photos?delete", body: deletion, want: "<Deleted><Key>k 1</Key></Deleted>",
				header: []string{sdkAlgorithm, "CRC32", crc32, s3test.ChecksumOf("CRC32", deletion), "Content-Type", "application/xml"},
			},
		}},
	} {
		t.Run(sdk, func(t *testing.T) {
			for _, step := range life.steps {
				step.send(t, s, streaming{Signed: s3test.Signed{Credentials: app, Region: s.Region(), Service: "s3", At: time.Now()}}, life.header)
			}
		})
	}
}

// sdkStep is a request of an SDK. A request with chunks is a stream with signatures.
type sdkStep struct {
	method, path, body string
	chunks             []string
	trailer            bool
	header             []string
	status             int    // of the response; 0 is 200
	want               string // in its body
	checksum           bool   // CRC32 is in its headers
}

func (step sdkStep) send(t *testing.T, s *s3test.Server, in streaming, header []string) {
	t.Helper()
	in.Method, in.Path, in.Body, in.chunks, in.trailer = step.method, step.path, step.body, step.chunks, step.trailer
	in.Before = func(r *http.Request) {
		for _, all := range [][]string{header, step.header} {
			for i := 0; i < len(all); i += 2 {
				r.Header.Set(all[i], all[i+1])
			}
		}
	}
	build := in.Signed.Build
	if len(in.chunks) > 0 {
		build = in.build
	}
	request, err := build(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if status := max(step.status, http.StatusOK); response.StatusCode != status || !strings.Contains(string(body), step.want) {
		t.Fatalf("%s %s: %d %.500s, want %d and %.100s", step.method, step.path, response.StatusCode, body, status, step.want)
	}
	if step.checksum && response.Header.Get("X-Amz-Checksum-Crc32") == "" {
		t.Errorf("%s %s: the headers have no CRC32: %v", step.method, step.path, response.Header)
	}
}
