package authentication_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// paths try to reach other targets than the signed or granted ones.
//
//nolint:lll // one case a line
func (h *hostilities) paths() {
	const denied, uri, mismatch = "AccessDenied", "InvalidURI", "SignatureDoesNotMatch"
	for path, want := range map[string]string{
		"/other/k": denied, "/other": denied, "/other/": denied, "/other?location=": denied, "/nothing/k": denied, "/PHOTOS/k": denied,
		"//": uri, "///": uri, "//photos/kept": uri, "/%2Fphotos/kept": mismatch, "/.": denied, "/..": denied, "/../other/k": denied, "/./other/k": denied,
		"/%2e%2e/other/k": mismatch, "/photos%00/k": uri, "/photos%20/k": denied, "/photos%0A/k": denied, "/photo": denied, "/photos.": denied,
		"/photos/../other/k": "BadRequest", "/photos/%2e%2e/other/k": mismatch, "/photos//kept": "NoSuchKey", "/photos/kept/": "NoSuchKey",
		"/photos/" + strings.Repeat("k", 1025): "KeyTooLongError", "/photos/" + strings.Repeat("%C3%BC", 513): "KeyTooLongError",
		"/photos/" + strings.Repeat("a/", 3000): "KeyTooLongError",
		"/" + strings.Repeat("b", 5000):         denied, "/photos%3Bx%3Dy/k": denied, "/photos%3A80/k": denied, "/%40photos/k": denied, "/%2A": denied,
	} {
		h.add("path "+path[:min(len(path), 60)], h.signed(http.MethodGet, path, "").Bytes(), want)
	}
	good := h.signed(http.MethodGet, "/photos/kept", "")
	for target, want := range map[string]string{
		"/photos/kept2": mismatch, "/other/kept": mismatch, "//photos/kept": mismatch, "/photos//kept": mismatch, "/photos/./kept": mismatch,
		"/photos/%ff": uri, "/photos/kept%00": uri, "/photos/kept?x=%zz": uri, "/photos/kept?a;b": uri, "/photos/kept?%": uri,
		"/photos/kept%": "400", "/photos/%zz": "400", "photos/kept": "400", "*": mismatch, "http://[::1": "400", "": "400",
		"http://evil.example/photos/kept": mismatch, "/photos/ke\tpt": "400", "/photos/ke\x7fpt": "400",
	} {
		w := good
		w.Target = target
		h.add("target "+target, w.Bytes(), want)
	}
	for _, host := range []string{"evil.example", "photos.s3.localhost", "other.s3.localhost", "127.0.0.1", "", "a b"} {
		h.add("host "+host, good.Set("Host", host).Bytes(), mismatch, "400")
	}
	for host, want := range map[string]string{
		"other.s3.localhost": denied, "x.s3.localhost": "InvalidBucketName", "-.s3.localhost": "InvalidBucketName", "..s3.localhost": "InvalidBucketName",
		"127.0.0.1.s3.localhost": "InvalidBucketName", strings.Repeat("b", 64) + ".s3.localhost": "InvalidBucketName", "photos.other.s3.localhost": denied,
	} {
		h.add("bucket in host "+host, h.signed(http.MethodGet, "/k", "", func(r *http.Request) { r.Host = host }).Bytes(), want)
	}
	for _, source := range []string{
		"/other/k", "other/k", "%2Fother%2Fk", "photos/../other/k", "//other/k", "photos", "photos/", "/", "%zz", "photos/kept?versionId=", "photos/kept?x=y",
		"http://evil.example/k", "arn:aws:s3:us-east-1:1:accesspoint/a/object/k", "photos/" + strings.Repeat("k", 1025), "\xff/k",
	} {
		w := h.signed(http.MethodPut, "/photos/copy", "", s3test.SetHeader("X-Amz-Copy-Source", source))
		h.add("copy from "+source[:min(len(source), 60)], w.Bytes(), denied, "InvalidArgument", "NoSuchKey", "NoSuchVersion", "NotImplemented", mismatch)
	}
}

// subresources are unknown, or not allowed for keys: gofakes3 would take them for the object or the
// bucket itself.
//
//nolint:lll // one case a line
func (h *hostilities) subresources() {
	names := []string{
		"acl", "policy", "website", "logging", "notification", "analytics", "inventory", "metrics", "intelligent-tiering", "replication",
		"requestPayment", "object-lock", "restore", "select", "retention", "legal-hold", "accelerate", "encryption", "cors", "lifecycle",
		"publicAccessBlock", "ownershipControls", "metadataTable", "versioning", "Tagging", "TAGGING", "torrent",
	}
	for _, name := range names {
		for _, target := range []struct{ method, path string }{
			{http.MethodPut, "/photos/kept"}, {http.MethodDelete, "/photos/kept"}, {http.MethodDelete, "/photos"}, {http.MethodPut, "/photos"},
			{http.MethodPost, "/photos/kept"},
		} {
			w := h.signed(target.method, target.path+"?"+name+"=", "")
			h.add(fmt.Sprintf("sub-resource %s %s?%s", target.method, target.path, name), w.Bytes(), "NotImplemented", "AccessDenied", "MethodNotAllowed", "MissingSecurityHeader")
		}
	}
	for _, method := range []string{"PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "X"} {
		h.add("method "+method, h.signed(method, "/photos/kept", "").Bytes(), "NotImplemented", "MethodNotAllowed", "InvalidURI", "400", "SignatureDoesNotMatch", "BadRequest")
	}
	for _, name := range []string{
		"X-Amz-Server-Side-Encryption-Customer-Key", "X-Amz-Object-Lock-Mode", "X-Amz-Grant-Read",
		"X-Amz-Write-Offset-Bytes", "X-Amz-Newfangled", "X-Amz-Bypass-Governance-Retention", "X-Amz-Expected-Bucket-Owner",
	} {
		w := h.signed(http.MethodPut, "/photos/k", "body", s3test.SetHeader(name, "x"))
		h.add("header "+name, w.Bytes(), "NotImplemented", "AccessControlListNotSupported", "AccessDenied", "InvalidArgument")
	}
}

// queries are ambiguous, or huge.
//
//nolint:lll // one case a line
func (h *hostilities) queries() {
	for _, target := range []string{
		"/photos?list-type=2&list-type=2", "/photos?list-type=2&prefix=a&prefix=b", "/photos?location=&location=", "/photos?list-type=3",
		"/photos?list-type=", "/photos?list-type=2&max-keys=x", "/photos?list-type=2&max-keys=-1", "/photos?list-type=2&max-keys=9999999999999999999",
		"/photos?list-type=2&encoding-type=base64", "/photos/kept?partNumber=0", "/photos/kept?versionId=", "/photos/kept?versionId=1&versionId=2",
	} {
		h.add("query "+target, h.signed(http.MethodGet, target, "").Bytes(), "InvalidArgument", "InvalidPart", "InvalidRange")
	}
	for _, target := range []string{
		"/photos/kept?uploadId=", "/photos/kept?uploadId=1&uploadId=2", "/photos/kept?uploadId=&partNumber=1", "/photos/kept?partNumber=1",
		"/photos/kept?uploadId=1&partNumber=1&partNumber=2", "/photos/kept?uploadId=1&partNumber=0", "/photos/kept?uploadId=1&partNumber=10001",
		"/photos/kept?uploadId=1&partNumber=-1", "/photos/kept?uploadId=1&partNumber=x", "/photos/kept?uploadId=../../etc&partNumber=1",
	} {
		h.add("query "+target, h.signed(http.MethodPut, target, "body").Bytes(), "InvalidArgument", "NotImplemented", "NoSuchUpload")
	}
	good := h.signed(http.MethodGet, "/photos/kept", "")
	huge := good
	huge.Target += "?prefix=" + strings.Repeat("a", 50_000)
	h.add("huge query", huge.Bytes(), "SignatureDoesNotMatch")
	many := good
	many.Target += "?" + strings.Repeat("a=b&", 10_000)
	h.add("many parameters", many.Bytes(), "SignatureDoesNotMatch", "InvalidURI")
	h.add("many parameters, signed", h.signed(http.MethodGet, "/photos?"+strings.Repeat("a=b&", 5_000)+"a=c", "").Bytes(), "200")
	names := url.Values{}
	for i := range 3000 {
		names.Set(fmt.Sprintf("p%d", i), "")
	}
	h.add("many names, signed", h.signed(http.MethodGet, "/photos?"+names.Encode(), "").Bytes(), "200")
}

// floods are of headers.
//
//nolint:lll // one case a line
func (h *hostilities) floods() {
	good := h.signed(http.MethodGet, "/photos/kept", "")
	many := good
	for i := range 500 {
		many = many.With(fmt.Sprintf("Header-%d: %s", i, strings.Repeat("x", 10)))
	}
	h.add("many headers", many.Bytes(), "RequestHeaderSectionTooLarge")
	same := good
	same.Header = append(same.Header, strings.Split(strings.TrimSuffix(strings.Repeat("X-Amz-Meta-A: b\n", 1000), "\n"), "\n")...)
	h.add("one header many times", same.Bytes(), "RequestHeaderSectionTooLarge")
	h.add("a large header", good.With("Cookie: "+strings.Repeat("x", 9000)).Bytes(), "RequestHeaderSectionTooLarge")
	h.add("a huge header", good.With("Cookie: "+strings.Repeat("x", 1<<20)).Bytes(), "431")
	flood := good
	flood.Header = append(flood.Header, strings.Split(strings.TrimSuffix(strings.Repeat("A: b\n", 100_000), "\n"), "\n")...)
	h.add("a flood of headers", flood.Bytes(), "431")
	long := good
	long.Target += "?" + strings.Repeat("a", 1<<20)
	h.add("a huge URL", long.Bytes(), "431")
	for name, line := range map[string]string{
		"without colon": "Header", "without name": ": x", "with a space": "Head er: x", "with a control": "Header: a\x00b", "folded": "Header: a\r\n b",
		"not ASCII": "Hüader: x", "with a return": "Header: a\rX-Amz-Copy-Source: /other/k",
	} {
		h.add("a header "+name, good.With(line).Bytes(), "400", "SignatureDoesNotMatch", "200")
	}
	for _, line := range []string{
		"X-Amz-Copy-Source: /other/k", "x-amz-copy-source: /other/k", "X-AMZ-COPY-SOURCE: /other/k", "X-Amz-Meta-A: b", "X-Amz-Acl: public-read",
		"X-Amz-Security-Token: t", "X-Amz-Tagging: a=b", "X-Amz-Newfangled: x",
	} {
		h.add("unsigned "+line, good.With(line).Bytes(), "AccessDenied", "InvalidToken")
	}
	for _, name := range []string{"X-Amz-Content-Sha256", "X-Amz-Copy-Source", "X-Amz-Acl", "X-Amz-Decoded-Content-Length", "Content-Md5", "X-Amz-Security-Token"} {
		h.add("twice "+name, good.Without(name).With(name+": a").With(name+": b").Bytes(), "InvalidArgument")
	}
}

// protocols are not HTTP, or malformed.
//
//nolint:lll // one case a line
func (h *hostilities) protocols() {
	for name, request := range map[string]string{
		"TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 100), "garbage": strings.Repeat("\xff\x00", 1000),
		"HTTP/0.9": "GET /\r\n\r\n", "HTTP/1.0": "GET / HTTP/1.0\r\n\r\n", "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/3": "GET / HTTP/3.0\r\nHost: a\r\n\r\n",
		"HTTP/1.9": "GET / HTTP/1.9\r\nHost: a\r\n\r\n", "no host": "GET / HTTP/1.1\r\n\r\n", "two hosts": "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"no version": "GET / \r\nHost: a\r\n\r\n", "empty lines": strings.Repeat("\r\n", 1000), "long method": strings.Repeat("M", 100_000) + " / HTTP/1.1\r\nHost: a\r\n\r\n",
		"pipelined": strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 100), "any options": "OPTIONS * HTTP/1.1\r\nHost: photos.s3.localhost\r\n\r\n",
		"connect": "CONNECT evil.example:80 HTTP/1.1\r\nHost: a\r\n\r\n", "upgrade": "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
	} {
		h.add("protocol "+name, []byte(request), "400", "505", "431", "AccessDenied", "0", "200", "501")
	}
}

// knownPanics are requests at which gofakes3 and its memory backend panic, or end the process.
// Here, they get an ordinary response, or an error.
//
//nolint:lll // one case a line
func (h *hostilities) knownPanics() {
	never := []string{"200", "204", "InvalidArgument", "InvalidPart", "NoSuchUpload", "MalformedXML", "NoSuchKey", "NoSuchVersion", "InvalidPartOrder", "404", "MissingRequestBodyError"}
	create := h.signed(http.MethodPost, "/photos/big?uploads=", "")
	h.add("create upload", create.Bytes(), never...)
	for _, path := range []string{
		"/photos/big?uploadId=1&part-number-marker=999", "/photos/big?uploadId=1&part-number-marker=-1", "/photos/big?uploadId=1&max-parts=-1",
		"/photos?versions=&key-marker=k&version-id-marker=x", "/photos?versions=&version-id-marker=x", "/photos?versions=&key-marker=kept&version-id-marker=null",
		"/photos?uploads=&upload-id-marker=9", "/photos?list-type=2&max-keys=0", "/photos?list-type=2&continuation-token=x", "/photos/kept?versionId=null",
		"/photos/kept?versionId=" + strings.Repeat("9", 500),
	} {
		h.add("panic GET "+path[:min(len(path), 80)], h.signed(http.MethodGet, path, "").Bytes(), never...)
	}
	for _, number := range []string{"-1", "0", "1", "10001", "9223372036854775808", "x", ""} {
		document := "<CompleteMultipartUpload><Part><PartNumber>" + number + "</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"
		h.add("panic complete part "+number, h.signed(http.MethodPost, "/photos/big?uploadId=1", document).Bytes(), never...)
	}
	for name, document := range map[string]string{
		"empty": "", "nothing": "<Delete/>", "deep": strings.Repeat("<a>", 20_000), "entity": `<!DOCTYPE d [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>`,
		"cut": "<Delete><Object>", "binary": "\xff\xfe\x00", "no key": "<Delete><Object></Object></Delete>", "wide": "<Delete>" + strings.Repeat("<Object><Key>k</Key></Object>", 1001) + "</Delete>",
		"other": "<CompleteMultipartUpload/>", "null": "<Delete><Object><Key>k</Key><VersionId>null</VersionId></Object></Delete>",
	} {
		h.add("document delete "+name, h.signed(http.MethodPost, "/photos?delete=", document, s3test.SetHeader("Content-Md5", s3test.MD5Of(document))).Bytes(), never...)
		if name != "null" {
			h.add("document complete "+name, h.signed(http.MethodPost, "/photos/big?uploadId=1", document).Bytes(), never...)
		}
	}
	h.add("forced delete", h.signed(http.MethodDelete, "/photos", "", s3test.SetHeader("X-Minio-Force-Delete", "true")).Bytes(), "AccessDenied")
	h.add("delete of the bucket", h.signed(http.MethodDelete, "/photos", "").Bytes(), "AccessDenied")
}
