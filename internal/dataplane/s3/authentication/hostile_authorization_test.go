package authentication_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// authorizations corrupt the header Authorization, in every field.
func (h *hostilities) authorizations() {
	good := h.signed(http.MethodGet, "/photos/kept", "")
	value := good.Get("Authorization")
	corrupt := func(name, changed string, want ...string) {
		if changed == value {
			h.t.Errorf("authorization %s is not corrupted", name)
		}
		h.add("authorization "+name, good.Set("Authorization", changed).Bytes(), want...)
	}
	const malformed, mismatch, denied, argument = "AuthorizationHeaderMalformed", "SignatureDoesNotMatch", "AccessDenied", "InvalidArgument"
	h.add("authorization none", good.Without("Authorization").Bytes(), denied)
	h.add("authorization twice", good.With("Authorization: "+value).Bytes(), argument)

	rest := strings.TrimPrefix(value, "AWS4-HMAC-SHA256 ")
	for scheme, want := range map[string]string{
		"": argument, "AWS ": argument, "AWS4-ECDSA-P256-SHA256 ": "InvalidRequest", "AWS4-HMAC-SHA512 ": argument,
		"AWS4-HMAC-SHA256": argument, "aws4-hmac-sha256 ": argument, "Bearer ": argument, "Basic ": argument, "AWS5-HMAC-SHA256 ": argument,
	} {
		corrupt(fmt.Sprintf("scheme %q", scheme), scheme+rest, want)
	}
	corrupt("scheme alone", "AWS4-HMAC-SHA256", argument)
	corrupt("scheme and a space", "AWS4-HMAC-SHA256 ", argument, malformed)

	fields := strings.Split(rest, ", ")
	for i, name := range []string{"credential", "headers", "signature"} {
		others := []string{fields[(i+1)%3], fields[(i+2)%3]}
		key, content, _ := strings.Cut(fields[i], "=")
		with := func(field string) string { // in the right place
			all := []string{fields[0], fields[1], fields[2]}
			all[i] = field
			return "AWS4-HMAC-SHA256 " + strings.Join(all, ", ")
		}
		corrupt(name+" missing", "AWS4-HMAC-SHA256 "+strings.Join(others, ", "), malformed)
		corrupt(name+" twice", value+", "+fields[i], malformed)
		corrupt(name+" empty", with(key+"="), malformed)
		corrupt(name+" without value", with(key), malformed)
		corrupt(name+" with two values", with(fields[i]+"="+content), malformed)
		corrupt(name+" in lower case", with(strings.ToLower(key)+"="+content), malformed)
		corrupt(name+" with a comma", with(fields[i]+","), malformed)
		corrupt(name+" not UTF-8", with(key+"=\xff\xfe"), malformed, denied, mismatch)
		corrupt(name+" huge", with(key+"="+strings.Repeat("A", 9000)), "RequestHeaderSectionTooLarge")
	}
	corrupt("without commas", strings.ReplaceAll(value, ",", ""), malformed)
	corrupt("with semicolons", strings.ReplaceAll(value, ",", ";"), malformed)
	h.credentials(value, corrupt)
	h.signedHeaders(value, corrupt)
	h.signatures(value, corrupt)
}

func (h *hostilities) credentials(value string, corrupt func(name, changed string, want ...string)) {
	const malformed, mismatch, unknown = "AuthorizationHeaderMalformed", "SignatureDoesNotMatch", "InvalidAccessKeyId"
	day, key := time.Now().UTC().Format("20060102"), h.key.AccessKeyID
	scope := key + "/" + day + "/" + h.s.Region() + "/s3/aws4_request"
	for credential, want := range map[string]string{
		key:                     malformed,
		key + "/":               malformed,
		key + "/" + day:         malformed,
		key + "/" + day + "/s3": malformed,
		"////":                  malformed,
		"/" + scope:             unknown,
		scope + "/":             malformed,
		scope + "/aws4_request": malformed,
		strings.ToLower(key) + strings.TrimPrefix(scope, key): unknown,
		"COSIUNKNOWN" + strings.TrimPrefix(scope, key):        unknown,
		"ASIAUNKNOWN" + strings.TrimPrefix(scope, key):        unknown,
		"../" + scope: unknown,
		"%00" + scope: unknown,
		strings.Replace(scope, day, "20200101", 1):                           malformed,
		strings.Replace(scope, day, "20261301", 1):                           malformed,
		strings.Replace(scope, day, "2026-01-01", 1):                         malformed,
		strings.Replace(scope, day, "", 1):                                   malformed,
		strings.Replace(scope, day, "today", 1):                              malformed,
		strings.Replace(scope, h.s.Region(), "", 1):                          mismatch,
		strings.Replace(scope, h.s.Region(), "us-west-2", 1):                 mismatch,
		strings.Replace(scope, h.s.Region(), "EU-CENTRAL-1", 1):              mismatch,
		strings.Replace(scope, "/s3/", "/ec2/", 1):                           malformed,
		strings.Replace(scope, "/s3/", "/sts/", 1):                           malformed,
		strings.Replace(scope, "/s3/", "//", 1):                              malformed,
		strings.Replace(scope, "/s3/", "/S3/", 1):                            malformed,
		strings.Replace(scope, "aws4_request", "aws4", 1):                    malformed,
		strings.Replace(scope, "aws4_request", "AWS4_REQUEST", 1):            malformed,
		strings.Replace(scope, "aws4_request", "", 1):                        malformed,
		strings.Replace(scope, key, strings.Repeat("K", 3000), 1):            unknown,
		strings.Replace(scope, key, "&lt;"+key+"<x>", 1):                     unknown,
		strings.Replace(scope, "/s3/", "/s3/"+h.s.Region()+"/s3/", 1) + "/x": malformed,
	} {
		corrupt("credential "+credential[:min(len(credential), 90)], strings.Replace(value, scope, credential, 1), want)
	}
}

func (h *hostilities) signedHeaders(value string, corrupt func(name, changed string, want ...string)) {
	const denied, mismatch, malformed = "AccessDenied", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed"
	_, list, _ := strings.Cut(value, "SignedHeaders=")
	list, _, _ = strings.Cut(list, ",")
	for headers, want := range map[string]string{
		"host":                                denied, // x-amz-date is not signed
		"x-amz-date":                          denied,
		"x-amz-content-sha256;x-amz-date":     denied, // host is not
		"host;x-amz-date":                     denied,
		";;":                                  malformed,
		"*":                                   denied,
		list + ";x-amz-meta-missing":          denied,
		list + ";":                            denied,
		strings.ToUpper(list):                 denied,
		list + ";" + list:                     malformed,
		list + ";accept-encoding":             denied,
		list + ";content-length":              mismatch,
		list + ";transfer-encoding":           mismatch,
		list + ";expect":                      mismatch,
		strings.Repeat("host;", 1000) + list:  malformed,
		"host;" + strings.Repeat("x;", 2000):  malformed,
		strings.ReplaceAll(list, ";", "%3B"):  denied,
		strings.ReplaceAll(list, ";", "; \t"): denied,
	} {
		corrupt("headers "+headers[:min(len(headers), 60)], strings.Replace(value, "SignedHeaders="+list, "SignedHeaders="+headers, 1), want)
	}
}

func (h *hostilities) signatures(value string, corrupt func(name, changed string, want ...string)) {
	_, signature, _ := strings.Cut(value, "Signature=")
	flipped := []byte(signature)
	flipped[10] ^= 1
	for _, changed := range []string{
		string(flipped), strings.ToUpper(signature), signature[:63], signature + "0", strings.Repeat("0", 64), strings.Repeat("g", 64),
		"0x" + signature, signature[:32], "%" + signature[1:], `"` + signature + `"`, "\t" + signature + "00",
	} {
		corrupt("signature "+changed, strings.Replace(value, signature, changed, 1), "SignatureDoesNotMatch")
	}
}

// dates corrupt the time of a request, which is checked before the signature.
func (h *hostilities) dates() {
	good := h.signed(http.MethodGet, "/photos/kept", "")
	const denied, skewed, malformed = "AccessDenied", "RequestTimeTooSkewed", "AuthorizationHeaderMalformed"
	now := time.Now().UTC()
	h.add("no date", good.Without("X-Amz-Date").Bytes(), denied)
	h.add("date in another header", good.Without("X-Amz-Date").Set("Date", now.Format(http.TimeFormat)).Bytes(), denied)
	h.add("two dates", good.With("X-Amz-Date: "+good.Get("X-Amz-Date")).Bytes(), "InvalidArgument")
	for date, want := range map[string]string{
		"": denied, "now": denied, now.Format(time.RFC3339): denied, now.Format(http.TimeFormat): denied, "20261301T000000Z": denied,
		"00010101T000000Z": skewed, "99991231T235959Z": skewed, "20130524T000000Z": skewed, "999991231T235959Z": denied,
		now.Add(20 * time.Minute).Format("20060102T150405Z"):  skewed,
		now.Add(-20 * time.Minute).Format("20060102T150405Z"): skewed,
		now.Add(5 * time.Second).Format("20060102T150405Z"):   "SignatureDoesNotMatch",
	} {
		if want == "SignatureDoesNotMatch" && now.Add(5*time.Second).Day() != now.Day() {
			want = malformed // the scope has the previous day
		}
		h.add("date "+date, good.Set("X-Amz-Date", date).Bytes(), want)
	}
}

// presigned corrupt a presigned URL, in every parameter.
func (h *hostilities) presigned() {
	request, err := s3.NewPresignClient(h.s.Client(h.t, h.key)).PresignGetObject(h.t.Context(),
		&s3.GetObjectInput{Bucket: new("photos"), Key: new("kept")})
	if err != nil {
		h.t.Fatal(err)
	}
	target, err := url.Parse(request.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	const wrong, mismatch, denied = "AuthorizationQueryParametersError", "SignatureDoesNotMatch", "AccessDenied"
	host := []string{"Host: " + target.Host}
	corrupt := func(name, method string, change func(url.Values), want ...string) {
		query := target.Query()
		change(query)
		h.add("presigned "+name, s3test.Wire{Method: method, Target: target.Path + "?" + query.Encode(), Header: host}.Bytes(), want...)
	}
	for _, name := range []string{"Algorithm", "Credential", "SignedHeaders", "Signature", "Date", "Expires"} {
		name := "X-Amz-" + name
		corrupt("without "+name, http.MethodGet, func(q url.Values) { q.Del(name) }, wrong)
		corrupt("empty "+name, http.MethodGet, func(q url.Values) { q.Set(name, "") }, wrong)
		corrupt("twice "+name, http.MethodGet, func(q url.Values) { q.Add(name, q.Get(name)) }, wrong)
		corrupt("odd "+name, http.MethodGet, func(q url.Values) { q.Set(name, q.Get(name)+"x") }, wrong, mismatch, denied)
		corrupt("huge "+name, http.MethodGet, func(q url.Values) { q.Set(name, strings.Repeat("9", 9000)) }, wrong, mismatch, denied)
	}
	for _, expires := range []string{"0", "-1", "604801", "1e3", "99999999999999999999", "1.5", "0x10", " 60", "-9223372036854775808"} {
		corrupt("expires "+expires, http.MethodGet, func(q url.Values) { q.Set("X-Amz-Expires", expires) }, wrong)
	}
	for _, date := range []string{"20130524T000000Z", "99991231T235959Z"} {
		corrupt("date "+date, http.MethodGet, func(q url.Values) { q.Set("X-Amz-Date", date) }, denied)
	}
	corrupt("method", http.MethodDelete, func(url.Values) {}, mismatch)
	corrupt("parameter", http.MethodGet, func(q url.Values) { q.Set("versionId", "1") }, mismatch)
	corrupt("sub-resource", http.MethodGet, func(q url.Values) { q.Set("acl", "") }, mismatch)
	for _, older := range []string{"AWSAccessKeyId=a&Signature=b&Expires=1", "AWSAccessKeyId=a", "Signature=b&Expires=9999999999"} {
		w := s3test.Wire{Method: http.MethodGet, Target: "/photos/kept?" + older, Header: host}
		h.add("presigned the old way "+older, w.Bytes(), "InvalidRequest")
	}
}
