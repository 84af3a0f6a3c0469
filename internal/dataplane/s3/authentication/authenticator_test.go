package authentication_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// The key of the examples in the S3 API reference.
const (
	exampleKey    = "AKIAIOSFODNN7EXAMPLE"
	exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	emptyHash     = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

var exampleTime = time.Date(2013, time.May, 24, 0, 0, 0, 0, time.UTC)

// newAuthenticator returns an authenticator that knows one account.
func newAuthenticator(now func() time.Time) (*authentication.Authenticator, *authorization.Registry) {
	registry := authorization.NewRegistry()
	registry.SetAccount(principal(exampleSecret))
	return authentication.New(registry, now), registry
}

func principal(secret string) *authorization.Principal {
	account := fakedriver.Account{AccountSpec: fakedriver.AccountSpec{ID: "app"}, AccessKeyID: exampleKey}
	return &authorization.Principal{Account: account, Secret: secret}
}

// example is an example of the S3 API reference.
type example struct {
	method, host, target string
	header               map[string]string
	length               int64
	// names are the signed headers, and signature is their signature; empty in a presigned URL.
	names, signature string
}

func (e example) request(t *testing.T) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), e.method, e.target, http.NoBody)
	r.Host, r.ContentLength = e.host, e.length
	for name, value := range e.header {
		r.Header.Set(name, value)
	}
	if e.signature != "" {
		r.Header.Set("X-Amz-Date", "20130524T000000Z")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+exampleKey+"/20130524/us-east-1/s3/aws4_request,"+
			"SignedHeaders="+e.names+",Signature="+e.signature)
	}
	return r
}

// examples are from "Examples: Signature Calculations in AWS Signature Version 4", and from
// "Authenticating Requests: Using Query Parameters", with the seeds of the two pages about uploads
// in chunks.
var examples = map[string]example{
	"GetObject": {
		method: http.MethodGet, host: "examplebucket.s3.amazonaws.com", target: "/test.txt",
		header:    map[string]string{"Range": "bytes=0-9", "X-Amz-Content-Sha256": emptyHash},
		names:     "host;range;x-amz-content-sha256;x-amz-date",
		signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
	},
	"PutObject": {
		method: http.MethodPut, host: "examplebucket.s3.amazonaws.com", target: "/test%24file.text",
		header: map[string]string{
			"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY",
			"X-Amz-Content-Sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
		},
		names:     "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
		signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
	},
	"GetBucketLifecycle": {
		method: http.MethodGet, host: "examplebucket.s3.amazonaws.com", target: "/?lifecycle",
		header:    map[string]string{"X-Amz-Content-Sha256": emptyHash},
		names:     "host;x-amz-content-sha256;x-amz-date",
		signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
	},
	"ListObjects": {
		method: http.MethodGet, host: "examplebucket.s3.amazonaws.com", target: "/?prefix=J&max-keys=2",
		header:    map[string]string{"X-Amz-Content-Sha256": emptyHash},
		names:     "host;x-amz-content-sha256;x-amz-date",
		signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	},
	"Presigned": {
		method: http.MethodGet, host: "examplebucket.s3.amazonaws.com",
		target: "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
			"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
			"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
	},
	"Chunks": {
		method: http.MethodPut, host: "s3.amazonaws.com", target: "/examplebucket/chunkObject.txt", length: 66824,
		header: map[string]string{
			"X-Amz-Storage-Class": "REDUCED_REDUNDANCY", "X-Amz-Content-Sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
			"Content-Encoding": "aws-chunked", "X-Amz-Decoded-Content-Length": "66560",
		},
		names:     "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class",
		signature: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
	},
	"ChunksAndTrailer": {
		method: http.MethodPut, host: "s3.amazonaws.com", target: "/examplebucket/chunkObject.txt", length: 66824,
		header: map[string]string{
			"X-Amz-Storage-Class": "REDUCED_REDUNDANCY", "X-Amz-Content-Sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
			"Content-Encoding": "aws-chunked", "X-Amz-Decoded-Content-Length": "66560", "X-Amz-Trailer": "x-amz-checksum-crc32c",
		},
		names: "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;" +
			"x-amz-storage-class;x-amz-trailer",
		signature: "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
	},
}

// TestExamples accepts Amazon's examples, twice: with a derived key, and with the cached one. It
// rejects each with one changed character of the signature.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, e := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _ := newAuthenticator(func() time.Time { return exampleTime })
			for range 2 {
				r := e.request(t)
				caller, signed, err := a.Authenticate(r, r.URL.Query())
				if err != nil {
					t.Fatalf("Authenticate() = %v, want no error for an example of Amazon's", err)
				}
				if diff := cmp.Diff([]string{"app", "us-east-1"}, []string{caller.Account().ID, signed.Region}); diff != "" {
					t.Errorf("account and region: -want, +got:\n%s", diff)
				}
			}
			r := e.request(t)
			r.Header.Set("Authorization", flip(r.Header.Get("Authorization")))
			r.URL.RawQuery = flip(r.URL.RawQuery)
			if e.signature == "" {
				r.Header.Del("Authorization")
			} else {
				r.URL = e.request(t).URL
			}
			if _, _, err := a.Authenticate(r, r.URL.Query()); !errors.Is(err, s3error.ErrSignatureDoesNotMatch) {
				t.Errorf("Authenticate() of a changed signature = %v, want SignatureDoesNotMatch", err)
			}
		})
	}
}

func flip(text string) string {
	if text == "" {
		return text
	}
	last := "0"
	if strings.HasSuffix(text, last) {
		last = "1"
	}
	return text[:len(text)-1] + last
}

// TestKeptKey checks that a cached signing key ends with its secret.
func TestKeptKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		change func(*authorization.Registry, *authorization.Principal)
		want   error
	}{
		"Unchanged": {
			reason: "The key stays valid.",
			change: func(*authorization.Registry, *authorization.Principal) {},
		},
		"SameSecret": {
			reason: "Another grant makes another record, with the same secret.",
			change: func(r *authorization.Registry, _ *authorization.Principal) { r.SetAccount(principal(exampleSecret)) },
		},
		"OtherSecret": {
			reason: "The kept key is of the secret of before.",
			change: func(r *authorization.Registry, _ *authorization.Principal) { r.SetAccount(principal("another secret")) },
			want:   s3error.ErrSignatureDoesNotMatch,
		},
		"Removed": {
			reason: "A revoked key is unknown.",
			change: func(r *authorization.Registry, p *authorization.Principal) { r.RemoveAccount(p) },
			want:   s3error.ErrInvalidAccessKeyID,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, registry := newAuthenticator(func() time.Time { return exampleTime })
			r := examples["GetObject"].request(t)
			if _, _, err := a.Authenticate(r, r.URL.Query()); err != nil {
				t.Fatal(err)
			}
			tc.change(registry, registry.Principal("app"))
			if _, _, err := a.Authenticate(r, r.URL.Query()); !errors.Is(err, tc.want) {
				t.Errorf("%s\nAuthenticate() = %v, want %v", tc.reason, err, tc.want)
			}
		})
	}
}

// TestAllocations checks that a signature with a cached key costs next to nothing.
func TestAllocations(t *testing.T) {
	a, _ := newAuthenticator(func() time.Time { return exampleTime })
	r := examples["PutObject"].request(t)
	query := r.URL.Query()
	const most = 14 // the caller, HMAC, and formatted times
	got := testing.AllocsPerRun(100, func() {
		if _, _, err := a.Authenticate(r, query); err != nil {
			t.Fatal(err)
		}
	})
	if got > most {
		t.Errorf("Authenticate() allocates %v times, want at most %d", got, most)
	}
}
