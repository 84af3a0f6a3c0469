package protocol_test

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the algorithm of version 2
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// hmacSHA256 and the functions below sign as described in Google's documentation.
func hmacSHA256(key []byte, text string) []byte {
	digest := hmac.New(sha256.New, key)
	digest.Write([]byte(text))
	return digest.Sum(nil)
}

const goog4 = "GOOG4-HMAC-SHA256"

// googleScope is the scope of a signature at a time.
func googleScope(at time.Time) string { return at.Format("20060102") + "/auto/storage/goog4_request" }

// sign4 returns the signature of a request. path is escaped, and the headers are in lower case.
func sign4(
	c fakedriver.Credentials, at time.Time, method, path, query string, headers map[string]string, payload string,
) (names, signature string) {
	var all []string
	for name := range headers {
		all = append(all, name)
	}
	slices.Sort(all)
	canonical := method + "\n" + path + "\n" + query + "\n"
	for _, name := range all {
		canonical += name + ":" + headers[name] + "\n"
	}
	names = strings.Join(all, ";")
	canonical += "\n" + names + "\n" + payload
	digest := sha256.Sum256([]byte(canonical))
	text := goog4 + "\n" + at.Format("20060102T150405Z") + "\n" + googleScope(at) + "\n" + hex.EncodeToString(digest[:])
	key := []byte("GOOG4" + c.SecretAccessKey)
	for _, part := range []string{at.Format("20060102"), "auto", "storage", "goog4_request"} {
		key = hmacSHA256(key, part)
	}
	return names, hex.EncodeToString(hmacSHA256(key, text))
}

// signedURL returns the path and query of a signed URL. The request must have the headers.
func (f *fixture) signedURL(
	c fakedriver.Credentials, method, path string, at time.Time, change url.Values, headers map[string]string,
) string {
	query := url.Values{
		"X-Goog-Algorithm": {goog4}, "X-Goog-Credential": {c.AccessKeyID + "/" + googleScope(at)}, "X-Goog-Date": {at.Format("20060102T150405Z")},
		"X-Goog-Expires": {"60"},
	}
	signed := map[string]string{"host": strings.TrimPrefix(f.address, "http://")}
	maps.Copy(signed, headers)
	var names []string
	for name := range signed {
		names = append(names, name)
	}
	slices.Sort(names)
	query.Set("X-Goog-SignedHeaders", strings.Join(names, ";"))
	maps.Copy(query, change)
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20")
	_, signature := sign4(c, at, method, path, encoded, signed, "UNSIGNED-PAYLOAD")
	return path + "?" + encoded + "&X-Goog-Signature=" + signature
}

func headerOf(headers map[string]string) http.Header {
	all := http.Header{}
	for name, value := range headers {
		all.Set(name, value)
	}
	return all
}

func TestSignedHeaders(t *testing.T) {
	f := serve(t, gcs.Options{})
	key, other := f.account(t, "app", all("photos")), f.account(t, "other")
	f.put(t, "photos", "x", "content", bearer(key))
	host := strings.TrimPrefix(f.address, "http://")
	version4 := func(c fakedriver.Credentials, at time.Time, change func(http.Header)) http.Header {
		empty := sha256.Sum256(nil)
		headers := map[string]string{
			"host": host, "x-goog-date": at.Format("20060102T150405Z"), "x-goog-content-sha256": hex.EncodeToString(empty[:]),
		}
		names, signature := sign4(c, at, "GET", "/photos/x", "", headers, headers["x-goog-content-sha256"])
		header := headerOf(headers)
		header.Del("Host")
		header.Set("Authorization", goog4+" Credential="+c.AccessKeyID+"/"+googleScope(at)+", SignedHeaders="+names+", Signature="+signature)
		if change != nil {
			change(header)
		}
		return header
	}
	signed2 := func(scheme string, c fakedriver.Credentials, text string) string {
		digest := hmac.New(sha1.New, []byte(c.SecretAccessKey))
		digest.Write([]byte(text))
		return scheme + " " + c.AccessKeyID + ":" + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	}
	version2 := func(scheme string, c fakedriver.Credentials, at time.Time) http.Header {
		date := at.Format(http.TimeFormat)
		return http.Header{"Date": {date}, "Authorization": {signed2(scheme, c, "GET\n\n\n"+date+"\n/photos/x")}}
	}
	ownDate := func(scheme, name string) http.Header {
		date := time.Now().UTC().Format(time.RFC1123Z)
		return http.Header{name: {date}, "Authorization": {signed2(scheme, key, "GET\n\n\n\n"+strings.ToLower(name)+":"+date+"\n/photos/x")}}
	}
	now := time.Now().UTC()
	wrong := fakedriver.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: "wrong"}
	unknown := fakedriver.Credentials{AccessKeyID: "GOOGUNKNOWN", SecretAccessKey: key.SecretAccessKey}
	for _, tc := range []struct {
		name   string
		header http.Header
		want   int
		code   string
	}{
		{"Version4", version4(key, now, nil), 200, ""},
		{"Version2", version2("GOOG1", key, now), 200, ""},
		{"Version2OfS3", version2("AWS", key, now), 200, ""},
		{"Version2OwnDate", ownDate("GOOG1", "X-Goog-Date"), 200, ""},
		{"Version2OwnDateOfS3", ownDate("AWS", "X-Amz-Date"), 200, ""},
		{"Version2OtherDate", ownDate("GOOG1", "X-Amz-Date"), 403, "AccessDenied"},
		{"OtherKey", version4(other, now, nil), 403, "AccessDenied"},
		{"OtherKey2", version2("GOOG1", other, now), 403, "AccessDenied"},
		{"WrongSecret", version4(wrong, now, nil), 403, "SignatureDoesNotMatch"},
		{"WrongSecret2", version2("GOOG1", wrong, now), 403, "SignatureDoesNotMatch"},
		{"UnknownKey", version4(unknown, now, nil), 403, "InvalidAccessKeyId"},
		{"UnknownKey2", version2("AWS", unknown, now), 403, "InvalidAccessKeyId"},
		{"Old", version4(key, now.Add(-time.Hour), nil), 403, "RequestTimeTooSkewed"},
		{"Old2", version2("GOOG1", key, now.Add(-time.Hour)), 403, "RequestTimeTooSkewed"},
		{"Early", version4(key, now.Add(time.Hour), nil), 403, "RequestTimeTooSkewed"},
		{"Unsigned", version4(key, now, func(h http.Header) { h.Set("X-Goog-Copy-Source", "photos/y") }), 403, "AccessDenied"},
		{"UnsignedOfS3", version4(key, now, func(h http.Header) { h.Set("X-Amz-Copy-Source", "photos/y") }), 403, "AccessDenied"},
		{"Twice", version4(key, now, func(h http.Header) { h.Add("X-Goog-Date", "x") }), 400, "InvalidArgument"},
		{"Changed", version4(key, now, func(h http.Header) { h.Set("X-Goog-Content-Sha256", "UNSIGNED-PAYLOAD") }), 403, "SignatureDoesNotMatch"},
		{"NoSignature", http.Header{"Authorization": {goog4}}, 400, "AuthorizationHeaderMalformed"},
		{"RSA", http.Header{"Authorization": {"GOOG4-RSA-SHA256 Credential=x"}}, 400, "InvalidArgument"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, body := f.do(t, request{method: "GET", path: "/photos/x", header: tc.header}, "")
			if status != tc.want || tc.code != "" && !strings.Contains(string(body), "<Code>"+tc.code+"</Code>") {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.code)
			}
		})
	}
}

// TestSignedURLs changes signed URLs: the signature allows only the original.
//
//nolint:lll // one case a line
func TestSignedURLs(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	f.put(t, "photos", "x", "content", bearer(key))
	f.put(t, "photos", "y", "other", bearer(key))
	f.put(t, "photos", "a@b", "content", bearer(key))
	now := time.Now().UTC()
	get := f.signedURL(key, "GET", "/photos/x", now, nil, nil)
	with := func(name, value string) string {
		return f.signedURL(key, "GET", "/photos/x", now, url.Values{name: {value}}, nil)
	}
	for _, tc := range []struct {
		name string
		request
		want int
		code string
	}{
		{"Get", request{method: "GET", path: get}, 200, ""},
		{"Override", request{method: "GET", path: with("response-content-type", "text/y")}, 200, ""},
		{"Range", request{method: "GET", path: get, header: http.Header{"Range": {"bytes=1-2"}}}, 206, ""},
		{"Head", request{method: "HEAD", path: f.signedURL(key, "HEAD", "/photos/x", now, nil, nil)}, 200, ""},
		{"OtherMethod", request{method: "DELETE", path: get}, 403, "SignatureDoesNotMatch"},
		{"OtherObject", request{method: "GET", path: strings.Replace(get, "/x?", "/y?", 1)}, 403, "SignatureDoesNotMatch"},
		{"OtherParameter", request{method: "GET", path: get + "&generation=1"}, 403, "SignatureDoesNotMatch"},
		{"Longer", request{method: "GET", path: strings.Replace(get, "X-Goog-Expires=60", "X-Goog-Expires=600", 1)}, 403, "SignatureDoesNotMatch"},
		{"Expired", request{method: "GET", path: f.signedURL(key, "GET", "/photos/x", now.Add(-time.Hour), nil, nil)}, 400, "ExpiredToken"},
		{"TooLong", request{method: "GET", path: with("X-Goog-Expires", "604801")}, 400, "AuthorizationQueryParametersError"},
		{"Week", request{method: "GET", path: with("X-Goog-Expires", "604800")}, 200, ""},
		{"Never", request{method: "GET", path: with("X-Goog-Expires", "0")}, 400, "AuthorizationQueryParametersError"},
		{"RSA", request{method: "GET", path: with("X-Goog-Algorithm", "GOOG4-RSA-SHA256")}, 400, "AuthorizationQueryParametersError"},
		{"NoHost", request{method: "GET", path: with("X-Goog-SignedHeaders", "x")}, 400, "AuthorizationHeaderMalformed"},
		{"UnsignedHeader", request{method: "GET", path: get, header: http.Header{"X-Goog-If-Generation-Match": {"1"}}}, 403, "AccessDenied"},
		{"TwoWays", request{method: "GET", path: get, header: http.Header{"Authorization": {bearer(key)}}}, 400, "InvalidArgument"},
		{"Version2", request{method: "GET", path: "/photos/x?GoogleAccessId=a&Expires=9999999999&Signature=x"}, 501, "NotImplemented"},
		{"Copy", request{method: "PUT", path: f.signedURL(key, "PUT", "/photos/x", now, nil, nil), header: http.Header{"X-Goog-Copy-Source": {"photos/y"}}}, 403, "AccessDenied"},
		{"EscapedLess", request{method: "GET", path: f.signedURL(key, "GET", "/photos/a@b", now, nil, nil)}, 200, ""},
		{"Escaped", request{method: "GET", path: f.signedURL(key, "GET", "/photos/a%40b", now, nil, nil)}, 200, ""},
		{"SentOtherwise", request{method: "GET", path: strings.Replace(f.signedURL(key, "GET", "/photos/a%40b", now, nil, nil), "%40", "@", 1)}, 200, ""},
		{"OtherScope", request{method: "GET", path: with("X-Goog-Credential", key.AccessKeyID+"/"+now.Format("20060102")+"/auto/s3/goog4_request")}, 400, "AuthorizationHeaderMalformed"},
		{"OtherDay", request{method: "GET", path: with("X-Goog-Credential", key.AccessKeyID+"/20200101/auto/storage/goog4_request")}, 400, "AuthorizationHeaderMalformed"},
		{"Delete", request{method: "DELETE", path: f.signedURL(key, "DELETE", "/photos/y", now, nil, nil)}, 204, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, body := f.do(t, tc.request, "")
			if status != tc.want || tc.code != "" && !strings.Contains(string(body), "<Code>"+tc.code+"</Code>") {
				t.Errorf("%s: %d %s, want %d %s", tc.path, status, body, tc.want, tc.code)
			}
		})
	}
	if err := f.store.DeleteAccount(t.Context(), owner, "app"); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := f.do(t, request{method: "GET", path: get}, ""); status != http.StatusForbidden {
		t.Errorf("after revocation: %d", status)
	}
}

// TestSignedResumable begins an upload by a signed URL, and continues with the upload's URL only.
func TestSignedResumable(t *testing.T) {
	dir := t.TempDir()
	var path string
	t.Run("Begin", func(t *testing.T) {
		f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
		key := f.account(t, "app", all("photos"))
		headers := map[string]string{"x-goog-resumable": "start", "content-type": "text/x", "x-goog-meta-a": "1"}
		begin := request{
			method: "POST", path: f.signedURL(key, "POST", "/photos/a/b", time.Now().UTC(), nil, headers), header: headerOf(headers),
		}
		status, header, body := f.do(t, begin, "")
		u, err := url.Parse(header.Get("Location"))
		if status != http.StatusCreated || err != nil {
			t.Fatalf("begin: %d %s %v", status, body, err)
		}
		path = u.RequestURI()
		if status, _, body := f.do(t, scaled(path, "0123", "0-3/*"), ""); status != http.StatusPermanentRedirect {
			t.Errorf("the first chunk: %d %s", status, body)
		}
	})
	f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
	key := f.account(t, "app", all("photos"))
	for _, step := range []struct {
		name string
		request
		want int
		have string
	}{
		{"OtherName", chunk(strings.Replace(path, "/a/b", "/a/c", 1), "", "*/*"), 404, ""},
		{"Guessed", chunk(path+"x", "", "*/*"), 404, ""},
		{"Status", chunk(path, "", "*/*"), 308, "0-3"},
		{"Last", scaled(path, "4567", "4-7/8"), 200, ""},
		{"LastAgain", scaled(path, "4567", "4-7/8"), 200, ""},
		{"Ended", scaled(path, "", "*/8"), 200, ""},
		{"Cancel", request{method: "DELETE", path: path}, 404, ""},
	} {
		status, header, body := f.do(t, step.request, "")
		if status != step.want || received(header) != step.have {
			t.Errorf("%s: %d %s, Range %q, want %d", step.name, status, body, header.Get("Range"), step.want)
		}
	}
	status, header, body := f.do(t, request{method: "GET", path: "/photos/a/b"}, bearer(key))
	if status != ok || lettersOf(body) != "01234567" || header.Get("Content-Type") != "text/x" || header.Get("X-Goog-Meta-A") != "1" {
		t.Errorf("the object: %d %v %s", status, header, lettersOf(body))
	}
}

// TestSignedResumableRevoked revokes the access that has begun an upload.
func TestSignedResumableRevoked(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	headers := map[string]string{"x-goog-resumable": "start"}
	begin := func(headers map[string]string, header http.Header) (int, http.Header) {
		path := f.signedURL(key, "POST", "/photos/x", time.Now().UTC(), nil, headers)
		status, answer, _ := f.do(t, request{method: "POST", path: path, header: header}, "")
		return status, answer
	}
	if status, _ := begin(nil, headerOf(headers)); status != http.StatusForbidden {
		t.Errorf("the header is not signed: %d", status)
	}
	status, answer := begin(headers, headerOf(headers))
	u, err := url.Parse(answer.Get("Location"))
	if status != http.StatusCreated || err != nil {
		t.Fatalf("begin: %d %v", status, err)
	}
	if err := f.store.DeleteAccount(t.Context(), owner, "app"); err != nil {
		t.Fatal(err)
	}
	if status, _, body := f.do(t, chunk(u.RequestURI(), "x", "0-0/1"), ""); status != http.StatusNotFound {
		t.Errorf("after revocation: %d %s", status, body)
	}
}
