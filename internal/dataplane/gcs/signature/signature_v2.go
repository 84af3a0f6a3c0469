package signature

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the algorithm of version 2
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// verify2 verifies a signature of version 2, which boto and gsutil send: GOOG1 or AWS, then
// ID:SIGNATURE. It is valid for fifteen minutes.
func (v *Verifier) verify2(
	r *http.Request, query url.Values, scheme, token string,
) (*authorization.Caller, authentication.Signature, error) {
	prefix, other := "X-Goog-", "X-Amz-"
	if scheme == "AWS" {
		prefix, other = other, prefix
	}
	found := authentication.Signature{Region: "auto"}
	if err := checkSigned(r.Header, nil, other); err != nil {
		return nil, found, err
	}
	id, signature, ok := strings.Cut(token, ":")
	if !ok || query.Has("Signature") {
		return nil, found, s3error.ErrInvalidArgument.With("The header Authorization must be " + scheme + " ACCESS_ID:SIGNATURE")
	}
	at := r.Header.Get("Date")
	if own := r.Header.Get(prefix + "Date"); own != "" {
		at = own
	}
	var err error
	if found.Time, err = parseDate(at); err != nil {
		return nil, found, s3error.ErrAccessDenied.With("Authentication requires a valid header Date")
	}
	if age := v.now().Sub(found.Time); age > maxSkew || age < -maxSkew {
		return nil, found, s3error.ErrRequestTimeTooSkewed
	}
	caller, err := v.holder(id)
	if err != nil {
		return nil, found, err
	}
	digest := hmac.New(sha1.New, []byte(caller.Secret()))
	digest.Write([]byte(signedText(r, query, prefix)))
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(digest.Sum(nil), given) {
		return nil, found, s3error.ErrSignatureDoesNotMatch.With(mismatch)
	}
	return caller, found, nil
}

// parseDate reads a time of HTTP, or one with a time zone, which s3cmd sends.
func parseDate(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC1123Z, text); err == nil {
		return at, nil
	}
	return http.ParseTime(text)
}

// subresources are the parameters that signatures of version 2 cover.
var subresources = []string{
	"acl", "compose", "cors", "delete", "encryption", "lifecycle", "location", "logging", "partNumber",
	"policy", "requestPayment", "response-cache-control", "response-content-disposition", "response-content-encoding",
	"response-content-language", "response-content-type", "response-expires", "storageClass", "tagging", "torrent", "uploadId",
	"uploads", "userProject", "versionId", "versioning", "versions", "website", "websiteConfig",
}

// signedText returns the text that a signature of version 2 covers; see "Signatures" of version 2
// in the documentation of Google and of S3.
func signedText(r *http.Request, query url.Values, prefix string) string {
	var headers []string
	for name, values := range r.Header {
		if strings.HasPrefix(name, prefix) {
			headers = append(headers, strings.ToLower(name)+":"+strings.TrimSpace(strings.Join(values, ","))+"\n")
		}
	}
	slices.Sort(headers)
	date := r.Header.Get("Date")
	if r.Header.Get(prefix+"Date") != "" {
		date = ""
	}
	var parameters []string
	for name, values := range query {
		switch {
		case !slices.Contains(subresources, name):
		case values[0] == "":
			parameters = append(parameters, name)
		default:
			parameters = append(parameters, name+"="+values[0])
		}
	}
	slices.Sort(parameters)
	resource := r.URL.EscapedPath()
	if len(parameters) > 0 {
		resource += "?" + strings.Join(parameters, "&")
	}
	return strings.Join([]string{
		r.Method, r.Header.Get("Content-Md5"), r.Header.Get("Content-Type"), date, strings.Join(headers, "") + resource,
	}, "\n")
}
