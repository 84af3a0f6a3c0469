package store_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// fuzzed is a store with an account, without a server.
func fuzzed(f *testing.F) (*s3test.Server, fakedriver.Credentials) {
	f.Helper()
	s, err := s3test.Open(s3test.Options{WebIdentity: s3test.WebIdentities})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if _, err := s.CreateBucket(f.Context(), fakedriver.BucketSpec{Name: "photos", Owner: s3test.Owner}); err != nil {
		f.Fatal(err)
	}
	c, err := s.PutAccount(f.Context(), fakedriver.AccountSpec{
		ID: "app", Owner: s3test.Owner, Grants: []fakedriver.Grant{s3test.ReadWrite("photos")},
	})
	if err != nil {
		f.Fatal(err)
	}
	return s, c
}

// formOfStranger returns a form that is correct except for the secret.
func formOfStranger(f *testing.F, s *s3test.Server, c fakedriver.Credentials) string {
	f.Helper()
	c.SecretAccessKey = "not the secret"
	body, kind := s.Form("photos", c).Encode()
	return fmt.Sprintf("POST /photos HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
}

// FuzzAuthenticate generates requests without the secret, which is random. The store must neither
// accept one nor panic.
func FuzzAuthenticate(f *testing.F) {
	s, c := fuzzed(f)
	unknownKey := s3test.Signed{
		Method: http.MethodGet, Path: "/photos/k", Region: s.Region(), Service: "s3", At: time.Now(),
		Credentials: fakedriver.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: "not the secret"},
	}
	r, err := unknownKey.Build(f.Context(), "http://127.0.0.1")
	if err != nil {
		f.Fatal(err)
	}
	var head bytes.Buffer
	if err := r.Write(&head); err != nil {
		f.Fatal(err)
	}
	f.Add(head.Bytes())
	value := r.Header.Get("Authorization")
	scope := c.AccessKeyID + "/" + time.Now().UTC().Format("20060102") + "/" + s.Region() + "/s3/aws4_request"
	date := "X-Amz-Date=" + time.Now().UTC().Format("20060102T150405Z")
	//nolint:lll // one case a line
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /photos HTTP/1.1\r\nHost: a\r\nAuthorization: " + value + "\r\n\r\n",
		"GET /photos HTTP/1.1\r\nHost: photos.s3.localhost\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + scope + ",SignedHeaders=host,Signature=00\r\n\r\n",
		"GET /photos?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + url.QueryEscape(scope) + "&" + date +
			"&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=00 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /photos?AWSAccessKeyId=" + c.AccessKeyID + "&Signature=a&Expires=9999999999 HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /photos HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: 0\r\n\r\n",
		formOfStranger(f, s, c),
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: photos.s3.localhost\r\n\r\n",
		"GET //../%2e%2e/%ff HTTP/1.1\r\nHost: x..s3.localhost:0\r\nX-Amz-Security-Token: a\r\nAuthorization: AWS a:b\r\n\r\n",
	} {
		f.Add([]byte(request))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
		if err != nil {
			return
		}
		if err := s.AuthenticateS3(r); err == nil {
			t.Errorf("a request was accepted without a valid signature:\n%s", request)
		}
		if described := s.Describe(r); described.Bucket == "" && described.Key != "" {
			t.Errorf("Describe() = %+v", described)
		}
	})
}

// FuzzAltered signs a request and changes it. Every accepted request must mean the same as the
// signed one.
func FuzzAltered(f *testing.F) {
	s, c := fuzzed(f)
	f.Add("/photos/k", "versionId=1", "red", "/photos/k", "versionId=1", "red")
	f.Add("/photos/k", "", "red", "/photos/%6b", "", "red ")
	f.Add("/photos/a%2Fb", "a=b&c=d", "a  b", "/photos/a/b", "c=d&a=b", "a b")
	f.Add("/photos/k", "x=%20", "ü", "/photos//k", "x=+", "u")
	f.Add("/photos/%C3%BC", "tagging", "a,b", "/photos/%FF", "tagging=", "a, b")
	f.Fuzz(func(t *testing.T, path, query, meta, path2, query2, meta2 string) {
		first, ok := requested(path, query, meta)
		second, ok2 := requested(path2, query2, meta2)
		if !ok || !ok2 {
			return
		}
		in := s3test.Signed{
			Method: http.MethodGet, Credentials: c, Region: s.Region(), Service: "s3", At: time.Now(),
			Before: func(r *http.Request) {
				r.URL, r.Header["X-Amz-Meta-Colour"] = first.URL, first.Header["X-Amz-Meta-Colour"]
			},
		}
		r, err := in.Build(t.Context(), "http://127.0.0.1")
		if err != nil {
			return
		}
		r.URL, r.Header["X-Amz-Meta-Colour"] = second.URL, second.Header["X-Amz-Meta-Colour"]
		switch err := s.AuthenticateS3(r); {
		case err != nil && path == path2 && query == query2 && meta == meta2 && simple.MatchString(path+"?"+query+" "+meta):
			t.Errorf("rejected although nothing was altered: %v", err)
			return
		case err != nil:
			return
		}
		if diff := cmp.Diff(meaning(first), meaning(second)); diff != "" {
			t.Errorf("accepted although it was altered: -signed, +sent:\n%s", diff)
		}
	})
}

// simple are requests that every client writes and signs in one way.
var simple = regexp.MustCompile(`^/[a-z]+/[a-z]+\?(versionId=\d+)? [a-z]+$`)

func requested(path, query, meta string) (*http.Request, bool) {
	target, err := url.ParseRequestURI(path)
	if err != nil || target.Host != "" || strings.Contains(path, "?") {
		return nil, false
	}
	target.RawQuery = query
	if _, err := url.ParseQuery(query); err != nil || strings.ContainsAny(meta, "\r\n\x00") {
		return nil, false
	}
	target.Scheme, target.Host = "http", "127.0.0.1"
	return &http.Request{URL: target, Header: http.Header{"X-Amz-Meta-Colour": {meta}}}, true
}

// meaning is the store's interpretation of a request. Signatures do not cover the amount of space
// between the words of a header.
func meaning(r *http.Request) any {
	return struct {
		Path  string
		Query url.Values
		Meta  []string
	}{r.URL.Path, r.URL.Query(), strings.Fields(r.Header.Get("X-Amz-Meta-Colour"))}
}

// FuzzAssumeRole generates forms for STS. Only valid tokens get keys.
func FuzzAssumeRole(f *testing.F) {
	s, _ := fuzzed(f)
	for _, token := range []string{"good", "expired", "bad-token", ""} {
		f.Add(s3test.AssumeForm(token).Encode())
	}
	f.Add("Action=GetCallerIdentity&Version=2011-06-15")
	f.Add("%zz")
	f.Fuzz(func(t *testing.T, form string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		// The account for valid tokens has a key, and no tokens.
		if w.Code != http.StatusBadRequest && w.Code != http.StatusForbidden {
			t.Errorf("answer %d: %s", w.Code, w.Body)
		}
	})
}
