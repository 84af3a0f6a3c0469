package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// BenchmarkHandler measures the store without a client and a connection.
func BenchmarkHandler(b *testing.B) {
	s, err := s3test.Open(s3test.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.CreateBucket(b.Context(), fakedriver.BucketSpec{Name: "photos", Owner: s3test.Owner}); err != nil {
		b.Fatal(err)
	}
	keys, err := s.PutAccount(b.Context(), fakedriver.AccountSpec{
		ID: "app", Owner: s3test.Owner, Grants: []fakedriver.Grant{s3test.ReadWrite("photos")},
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, method := range []string{http.MethodPut, http.MethodGet, http.MethodHead} {
		b.Run(method, func(b *testing.B) {
			content := []byte{}
			if method == http.MethodPut {
				content = make([]byte, 1<<10)
			}
			r := signedLikeSDK(b, method, content, keys)
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(bytes.NewReader(content))
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

func signedLikeSDK(b *testing.B, method string, content []byte, keys fakedriver.Credentials) *http.Request {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), method, "http://127.0.0.1:9000/photos/prefix-00/object-000001?x-id="+method, bytes.NewReader(content))
	digest := sha256.Sum256(content)
	hash := hex.EncodeToString(digest[:])
	for name, value := range map[string]string{
		"X-Amz-Content-Sha256": hash, "Accept-Encoding": "identity", "Amz-Sdk-Invocation-Id": "6f2c2c3c-1b0c-4f0e-9a5c-0b6f0c8e6a11",
		"Amz-Sdk-Request": "attempt=1; max=3", "Content-Type": "application/octet-stream",
		"User-Agent": "aws-sdk-go-v2/1.47.6 ua/2.1 os/linux lang/go#1.26 md/GOOS#linux md/GOARCH#amd64 api/s3#1.114.7 m/E,e",
	} {
		r.Header.Set(name, value)
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	err := signer.SignHTTP(b.Context(), aws.Credentials{AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey},
		r, hash, "s3", fakedriver.DefaultRegion, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	return r
}
