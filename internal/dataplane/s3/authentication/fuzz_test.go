package authentication_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// FuzzAuthenticate makes the SDK sign a request, and sends another one with its signature. A request is
// accepted if and only if the SDK would have signed it in the same way.
func FuzzAuthenticate(f *testing.F) {
	for _, presigned := range []bool{false, true} {
		f.Add("PUT", "/photos/k", "versionId", "1", "red", "/photos/k", "versionId", "1", "red", presigned)
		f.Add("GET", "/photos/k", "", "", "red", "/photos/k", "", "", "blue", presigned)
		const path, value = "/photos/a b+c%2Fd~'()*!", "a b+c/%&="
		f.Add("GET", path, "prefix", value, " a   b  ", path, "prefix", value, "a b", presigned)
		f.Add("GET", "/photos/ü", "ü", "日本", "a,b", "/photos/ü", "ü", "日本", "a, b", presigned)
		f.Add("DELETE", "/photos//k", "acl", "", "", "/photos/k", "acl", "", "", presigned)
		f.Add("POST", "/photos/k", "X-Amz-Meta", "\x00\x7f", "a", "/photos/k", "X-Amz-Meta.", "\x00\x7f", "a", presigned)
	}
	a, _ := newAuthenticator(time.Now)
	f.Fuzz(func(t *testing.T, method, path, name, value, meta, path2, name2, value2, meta2 string, presigned bool) {
		signed, other := fuzzedRequest(t, method, path, name, value, meta), fuzzedRequest(t, method, path2, name2, value2, meta2)
		sent := fuzzedRequest(t, method, path2, name2, value2, meta2)
		at := time.Now()
		if strings.HasPrefix(name, "X-Amz-") != strings.HasPrefix(name2, "X-Amz-") ||
			!sign(t, signed, presigned, at) || !sign(t, other, presigned, at) {
			return
		}
		moveSignature(signed, sent, name, name2)
		_, _, err := a.Authenticate(sent, sent.URL.Query())
		want := signatureOf(signed) == signatureOf(other)
		if got := err == nil; got != want {
			t.Errorf("Authenticate() = %v, and the SDK has the same signature: %t\n%s %q\n%v", err, want, method, sent.URL, sent.Header)
		}
		if unchanged := path == path2 && name == name2 && value == value2 && meta == meta2; unchanged && err != nil {
			t.Errorf("Authenticate() = %v for an unchanged request\n%s %q\n%v", err, method, sent.URL, sent.Header)
		}
	})
}

// moveSignature adds the signature of a request to another one, which has the parameter other
// instead of name.
func moveSignature(signed, sent *http.Request, name, other string) {
	query := signed.URL.Query()
	maps.Copy(query, sent.URL.Query())
	if name != other {
		query.Del(name)
	}
	sent.URL.RawQuery = query.Encode()
	for header, values := range signed.Header {
		if header != colour {
			sent.Header[header] = values
		}
	}
}

func signatureOf(r *http.Request) string {
	return r.Header.Get("Authorization") + r.URL.Query().Get("X-Amz-Signature")
}

const colour = "X-Amz-Meta-Colour"

// fuzzedRequest returns nil for a request that cannot be sent, or that the SDK and S3 treat
// differently: white space other than spaces.
func fuzzedRequest(t *testing.T, method, path, name, value, meta string) *http.Request {
	t.Helper()
	odd := func(c rune) bool { return c != ' ' && (unicode.IsSpace(c) || unicode.IsControl(c)) }
	if !strings.HasPrefix(path, "/") || !utf8.ValidString(path) || strings.ContainsFunc(meta, odd) || !utf8.ValidString(meta) {
		return nil
	}
	target := url.URL{Scheme: "http", Host: "127.0.0.1:9000", Path: path, RawPath: httpbinding.EscapePath(path, false)}
	if name != "" && isOrdinary(name) {
		target.RawQuery = url.Values{name: {value}}.Encode()
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:9000/", http.NoBody)
	if err != nil {
		return nil
	}
	r.URL = &target
	r.Header.Set(colour, strings.Trim(meta, " "))
	return r
}

// isOrdinary reports whether a parameter is no part of a signature.
func isOrdinary(name string) bool {
	switch name {
	case "AWSAccessKeyId", "Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token",
		"X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Content-Sha256":
		return false
	}
	return true
}

// sign reports whether there is a request, and the SDK can sign it.
func sign(t *testing.T, r *http.Request, presigned bool, at time.Time) bool {
	t.Helper()
	if r == nil {
		return false
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping, o.DisableHeaderHoisting = true, true
	})
	credentials := aws.Credentials{AccessKeyID: exampleKey, SecretAccessKey: exampleSecret}
	if !presigned {
		r.Header.Set("X-Amz-Content-Sha256", emptyHash)
		return signer.SignHTTP(t.Context(), credentials, r, emptyHash, "s3", fakedriver.DefaultRegion, at) == nil
	}
	query := r.URL.Query()
	query.Set("X-Amz-Expires", "900")
	r.URL.RawQuery = query.Encode()
	signedURL, header, err := signer.PresignHTTP(t.Context(), credentials, r, "UNSIGNED-PAYLOAD", "s3", fakedriver.DefaultRegion, at)
	if err != nil {
		return false
	}
	for name, values := range header {
		if name != "Host" {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	r.URL, err = url.Parse(signedURL)
	return err == nil
}
