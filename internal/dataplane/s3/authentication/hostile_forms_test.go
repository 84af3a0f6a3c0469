package authentication_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// forms are bodies that are no forms, and forms that end too early. The form within has a good
// key's signature.
//
//nolint:lll // one case a line
func (h *hostilities) forms() {
	const malformed, incomplete, timeout = "MalformedPOSTRequest", "IncompleteBody", "RequestTimeout"
	body, kind := h.s.Form("photos", h.key).Encode()
	_, boundary, _ := strings.Cut(kind, "boundary=")
	post := func(name, kind, body string, length int, want ...string) {
		h.add("form "+name, s3test.Wire{Method: http.MethodPost, Target: "/photos", Header: []string{
			"Host: a", "Content-Type: " + kind, fmt.Sprintf("Content-Length: %d", length), "Connection: close",
		}, Body: body}.Bytes(), want...)
	}
	whole := string(body)
	for name, kind := range map[string]string{
		"without boundary": "multipart/form-data", "empty boundary": "multipart/form-data; boundary=", "two boundaries": "multipart/form-data; boundary=a; boundary=b",
		"long boundary": "multipart/form-data; boundary=" + strings.Repeat("b", 71), "other boundary": "multipart/form-data; boundary=other",
		"odd parameter": "multipart/form-data; boundary", "quoted boundary": `multipart/form-data; boundary="a`,
	} {
		post(name, kind, whole, len(whole), malformed, "InvalidArgument", "MaxPostPreDataLengthExceeded")
	}
	for name, body := range map[string]string{
		"nothing": "", "no form": "key=k&policy=p", "only an end": "--" + boundary + "--\r\n", "no name": part(boundary, "form-data", "x") + "--" + boundary + "--",
		"no disposition": "--" + boundary + "\r\n\r\nx\r\n--" + boundary + "--", "attachment": part(boundary, `attachment; name="file"`, "x"),
		"no end":             whole[:strings.LastIndex(whole, "\r\n--")],
		"header without end": "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"", "odd header": "--" + boundary + "\r\nContent-Disposition\r\n\r\n",
		"boundary in the middle": strings.Replace(whole, "--"+boundary, "x--"+boundary, 2), "NUL": strings.Repeat("\x00", 1000),
	} {
		post(name, kind, body, len(body), malformed, "InvalidArgument", "AccessDenied", incomplete)
	}
	for name, body := range map[string]string{
		"long line": strings.Repeat("a", 100_000), "long preamble": strings.Repeat("\r\n", 50_000), "long header": "--" + boundary + "\r\nX: " + strings.Repeat("a", 100_000),
		"many headers": "--" + boundary + "\r\n" + strings.Repeat("X: y\r\n", 20_000), "long name": part(boundary, `form-data; name="`+strings.Repeat("n", 100_000)+`"`, ""),
		"long value": part(boundary, `form-data; name="a"`, strings.Repeat("v", 100_000)), "many fields": strings.Repeat(part(boundary, `form-data; name="a"`, ""), 2000),
	} {
		post(name, kind, body, len(body), "MaxPostPreDataLengthExceeded", malformed, "InvalidArgument")
	}
	for _, n := range []int{0, 1, len(boundary), len(whole) / 2, strings.Index(whole, "meow"), strings.Index(whole, "meow") + 2, len(whole) - 10} {
		post(fmt.Sprintf("silence after %d bytes", n), kind, whole[:n], len(whole), timeout)
	}
	post("signed for more", kind, whole, 1<<40, "EntityTooLarge")
	h.add("form in chunks", s3test.Wire{Method: http.MethodPost, Target: "/photos", Header: []string{"Host: a", "Content-Type: " + kind, "Transfer-Encoding: chunked", "Connection: close"},
		Body: fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(whole), whole)}.Bytes(), "MissingContentLength")
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodGet} {
		h.add("form by "+method, s3test.Wire{Method: method, Target: "/photos", Header: []string{"Host: a", "Content-Type: " + kind, fmt.Sprintf("Content-Length: %d", len(whole)), "Connection: close"}, Body: whole}.Bytes(), "AccessDenied")
	}
	hidden := s3test.Wire{Method: http.MethodPost, Target: "/photos", Header: []string{
		"Host: a", "Content-Type: " + kind, fmt.Sprintf("Content-Length: %d", len(whole)), "X-Amz-Copy-Source: /other/k", "X-Amz-Acl: public-read", "Connection: close",
	}, Body: strings.Replace(whole, "uploads/${filename}", "private/cat.jpg", 1)}
	hidden.Header[2] = fmt.Sprintf("Content-Length: %d", len(hidden.Body))
	h.add("form with another key and headers", hidden.Bytes(), "AccessDenied")
	for _, target := range []string{"/photos?uploads", "/photos?cors", "/photos?X-Amz-Signature=1", "/photos?AWSAccessKeyId=1", "/photos/k?uploadId=1", "//", "/other"} {
		h.add("form to "+target, s3test.Wire{Method: http.MethodPost, Target: target, Header: []string{"Host: a", "Content-Type: " + kind, fmt.Sprintf("Content-Length: %d", len(whole)), "Connection: close"}, Body: whole}.Bytes(),
			"InvalidArgument", "MethodNotAllowed", "InvalidURI", "AccessDenied", "AuthorizationQueryParametersError", "InvalidRequest")
	}
}

func part(boundary, disposition, value string) string {
	return "--" + boundary + "\r\nContent-Disposition: " + disposition + "\r\n\r\n" + value + "\r\n"
}

// preflights are requests that no browser sends.
func (h *hostilities) preflights() {
	options := func(name, target string, want string, lines ...string) {
		w := s3test.Wire{Method: http.MethodOptions, Target: target, Header: append([]string{"Host: a", "Connection: close"}, lines...)}
		h.add("preflight "+name, w.Bytes(), want)
	}
	const forbidden, bad = "AccessForbidden", "BadRequest"
	method, origin := "Access-Control-Request-Method: PUT", "Origin: http://a"
	options("without origin", "/photos/k", bad, method)
	options("empty origin", "/photos/k", bad, method, "Origin: ")
	options("without method", "/photos/k", bad, origin)
	options("long origin", "/photos/k", forbidden, method, "Origin: http://"+strings.Repeat("a", 4000))
	options("huge origin", "/photos/k", "RequestHeaderSectionTooLarge", method, "Origin: http://"+strings.Repeat("a", 9000))
	options("many headers", "/photos/k", forbidden, method, origin, "Access-Control-Request-Headers: "+strings.Repeat("a,", 2000))
	options("two origins", "/photos/k", forbidden, method, origin, "Origin: http://b")
	options("asterisk", "/photos/k", forbidden, method, "Origin: *")
	options("no bucket", "//k", "InvalidURI", method, origin)
	options("no UTF-8", "/photos/%ff", "InvalidURI", method, origin)
	options("odd query", "/photos/k?a=%zz", "InvalidURI", method, origin)
	options("hidden bucket", "/other/k", forbidden, method, origin)
	options("absent bucket", "/absent/k", forbidden, method, origin)
}
