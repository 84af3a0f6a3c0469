package s3_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// presignFor returns a URL with these parameters, which the signature covers. The Go SDK itself moves
// few headers into the URL; the SDKs for JavaScript move most.
func presignFor(a *s3test.App, method, target string, parameters ...string) string {
	a.Helper()
	query := url.Values{"X-Amz-Expires": {"60"}}
	for pair := range slices.Chunk(parameters, 2) {
		query.Add(pair[0], pair[1])
	}
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	r, err := http.NewRequestWithContext(a.Context(), method, a.Store.URL+"/"+*a.Bucket+target+separator+query.Encode(), http.NoBody)
	a.Must(err)
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	signedURL, _, err := signer.PresignHTTP(a.Context(),
		aws.Credentials{AccessKeyID: a.Key.AccessKeyID, SecretAccessKey: a.Key.SecretAccessKey}, r,
		"UNSIGNED-PAYLOAD", "s3", a.Store.Region(), time.Now())
	a.Must(err)
	return signedURL
}

// TestHoisted: parameters of a presigned URL have the effect of headers.
//
//nolint:lll // one case a line
func TestHoisted(t *testing.T) {
	a := s3test.NewApp(t)
	tests := map[string]struct {
		reason     string
		parameters []string
		header     []string
		status     int
		want       map[string]string
	}{
		"Metadata":      {"getSignedUrl of JavaScript.", []string{"x-amz-meta-colour", "red", "x-id", "PutObject"}, nil, 200, map[string]string{"X-Amz-Meta-Colour": "red"}},
		"Tagging":       {"Counted.", []string{"x-amz-tagging", "a=b&c=d"}, nil, 200, map[string]string{"X-Amz-Tagging-Count": "2"}},
		"ACL":           {"Says what is so anyway.", []string{"x-amz-acl", "private"}, nil, 200, nil},
		"PublicACL":     {"Is not ignored.", []string{"X-Amz-Acl", "public-read"}, nil, 400, nil},
		"Content":       {"The first SDK for JavaScript.", []string{"Content-Type", "image/png", "Cache-Control", "no-cache"}, nil, 200, map[string]string{"Content-Type": "image/png", "Cache-Control": "no-cache"}},
		"ContentSent":   {"The URL is signed, and the header is not.", []string{"Content-Type", "image/png"}, []string{"Content-Type", "text/plain"}, 200, map[string]string{"Content-Type": "image/png"}},
		"MD5":           {"Checked.", []string{"Content-MD5", s3test.MD5Of("content")}, nil, 200, nil},
		"WrongMD5":      {"Checked.", []string{"Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="}, nil, 400, nil},
		"Checksum":      {"Ignored, too.", []string{"x-amz-checksum-crc32c", s3test.ChecksumOf("CRC32C", "content")}, nil, 200, nil},
		"WrongChecksum": {"SDKs have no body when they presign.", []string{"x-amz-checksum-crc32c", s3test.ChecksumOf("CRC32C", "trap")}, nil, 200, nil},
		"SumOfNothing":  {"SDKs have no body when they presign.", []string{"x-amz-checksum-crc32", "AAAAAA==", "x-amz-sdk-checksum-algorithm", "CRC32"}, nil, 200, nil},
		"Algorithm":     {"SDKs have no body when they presign.", []string{"x-amz-sdk-checksum-algorithm", "SHA256"}, nil, 200, nil},
		"Trailer":       {"A URL has no streaming upload.", []string{"x-amz-trailer", "x-amz-checksum-crc32"}, nil, 400, nil},
		"IfNoneMatch":   {"S3 ignores parameters that it does not know.", []string{"If-None-Match", "*"}, nil, 200, nil},
		"Lock":          {"The bucket has none.", []string{"x-amz-object-lock-mode", "GOVERNANCE"}, nil, 400, nil},
		"Twice":         {"Which one counts?", []string{"x-amz-meta-a", "1", "X-Amz-Meta-A", "2"}, nil, 400, nil},
		"Copy":          {"Of an object that is granted.", []string{"x-amz-copy-source", "photos/source"}, nil, 200, nil},
		"CopyForeign":   {"The grant counts, as with a header.", []string{"x-amz-copy-source", "other/source"}, nil, 403, nil},
	}
	a.Put("source", "content")
	a.Store.Bucket(t, "other")
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, header := a.In(t), http.Header{}
			for i := 0; i < len(tc.header); i += 2 {
				header.Set(tc.header[i], tc.header[i+1])
			}
			content := "content"
			if slices.Contains(tc.parameters, "x-amz-copy-source") {
				content = ""
			}
			status, body := s3test.Send(t, http.MethodPut, presignFor(a, http.MethodPut, "/"+name, tc.parameters...), header, content)
			if status != tc.status {
				t.Fatalf("%s\nanswer %d, want %d: %s", tc.reason, status, tc.status, body)
			}
			if status != http.StatusOK {
				if got := a.Raw(http.MethodHead, "/"+name, ""); got.Status != http.StatusNotFound {
					t.Errorf("a rejected upload is there: %d", got.Status)
				}
				return
			}
			head := a.Raw(http.MethodHead, "/"+name, "").Header
			var got map[string]string
			for name := range tc.want {
				if got == nil {
					got = map[string]string{}
				}
				got[name] = head.Get(name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHoistedUnsigned: the same parameters beside a signature in a header are no headers, and after
// signing they break the signature.
func TestHoistedUnsigned(t *testing.T) {
	a := s3test.NewApp(t)
	if got := a.Raw(http.MethodPut, "/k?x-amz-meta-a=b", "content"); got.Status != 501 || s3test.Code(t, got.Body) != "NotImplemented" {
		t.Errorf("with a signature in a header: answer %d: %s", got.Status, got.Body)
	}
	target := presignFor(a, http.MethodPut, "/k") + "&x-amz-meta-a=b"
	status, body := s3test.Send(t, http.MethodPut, target, nil, "content")
	if status != 403 || s3test.Code(t, body) != "SignatureDoesNotMatch" {
		t.Errorf("added to a presigned URL: answer %d: %s", status, body)
	}
}

// TestHoistedDescribed: a fault selects the operation of the URL.
func TestHoistedDescribed(t *testing.T) {
	a := s3test.NewApp(t)
	target := presignFor(a, http.MethodPut, "/k", "x-amz-copy-source", "photos/k")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, http.NoBody)
	a.Must(err)
	want := httpserver.Request{Operation: "CopyObject", Bucket: "photos", Key: "k"}
	if diff := cmp.Diff(want, a.Store.Describe(r)); diff != "" {
		t.Errorf("Describe(): -want, +got:\n%s", diff)
	}
}
