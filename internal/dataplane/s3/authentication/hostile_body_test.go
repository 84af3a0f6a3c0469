package authentication_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

const (
	unsignedStream = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	signedStream   = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
)

// lengths declare wrong sizes.
//
//nolint:lll // one case a line
func (h *hostilities) lengths() {
	unsigned := s3test.SetHeader("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	digest := s3test.SetHeader("Content-Md5", s3test.MD5Of("body"))
	for length, want := range map[int64]string{
		1<<20 + 1: "EntityTooLarge", 30 << 30: "EntityTooLarge", 1 << 40: "EntityTooLarge", math.MaxInt64: "EntityTooLarge",
		1 << 20: "RequestTimeout", 5: "RequestTimeout",
	} {
		w := h.signed(http.MethodPut, "/photos/k", "body", unsigned, func(r *http.Request) { r.ContentLength = length })
		h.add(fmt.Sprintf("length %d", length), w.Bytes(), want)
		w = h.signed(http.MethodPost, "/photos?delete=", "body", unsigned, digest, func(r *http.Request) { r.ContentLength = length })
		h.add(fmt.Sprintf("length %d of a document", length), w.Bytes(), want)
	}
	good := h.signed(http.MethodPut, "/photos/k", "body", unsigned, func(r *http.Request) { r.ContentLength = 0 }) // is not signed
	for _, length := range []string{
		"9223372036854775808", "-1", "-9223372036854775808", "abc", "1e3", "+4", "0x4", "4, 5", "", "4 4", "4.0", "4_0", "٤",
	} {
		h.add("length "+length, good.Set("Content-Length", length).Bytes(), "400")
	}
	h.add("two lengths", good.With("Content-Length: 4").With("Content-Length: 5").Bytes(), "400")
	h.add("chunked", chunkedTransfer(good).Bytes(), "MissingContentLength")
	h.add("chunked and a length", chunkedTransfer(good).With("Content-Length: 4").Bytes(), "MissingContentLength", "400")
	h.add("odd transfer encoding", good.With("Transfer-Encoding: gzip").Bytes(), "501", "400")
	h.add("chunked twice", good.With("Transfer-Encoding: chunked, chunked").Bytes(), "501", "400")

	const framed = "4\r\nbody\r\n0\r\n\r\n"
	for decoded, want := range map[string]string{
		"-1": "MissingContentLength", "9223372036854775807": "EntityTooLarge", "9223372036854775808": "MissingContentLength",
		"-9223372036854775808": "MissingContentLength", "abc": "MissingContentLength", "": "MissingContentLength", "1e3": "MissingContentLength",
		"1099511627776": "EntityTooLarge", "1048577": "EntityTooLarge", "3": "IncompleteBody", "5": "IncompleteBody", "1048576": "IncompleteBody",
		"0": "IncompleteBody",
	} {
		w := h.signed(http.MethodPut, "/photos/k", framed, s3test.SetHeader("X-Amz-Content-Sha256", unsignedStream), s3test.SetHeader("X-Amz-Decoded-Content-Length", decoded))
		h.add("decoded length "+decoded, w.Bytes(), want)
	}
	for name, hash := range map[string]string{
		"short": "00", "long": strings.Repeat("0", 65), "odd": strings.Repeat("g", 64), "text": "SIGNED-PAYLOAD", "lower": "unsigned-payload",
	} {
		h.add("body hash "+name, h.signed(http.MethodPut, "/photos/k", "body", s3test.SetHeader("X-Amz-Content-Sha256", hash)).Bytes(), "InvalidArgument")
	}
	for _, kind := range []string{"STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER", "STREAMING-X"} {
		h.add("body kind "+kind, h.signed(http.MethodPut, "/photos/k", "body", s3test.SetHeader("X-Amz-Content-Sha256", kind)).Bytes(), "NotImplemented")
	}
}

func chunkedTransfer(w s3test.Wire) s3test.Wire {
	w = w.With("Transfer-Encoding: chunked")
	w.Body = "4\r\nbody\r\n0\r\n\r\n"
	return w
}

// chunks corrupt the framing of streaming uploads, and their signatures.
//
//nolint:lll // one case a line
func (h *hostilities) chunks() {
	const incomplete, invalid, mismatch, trailer = "IncompleteBody", "InvalidRequest", "SignatureDoesNotMatch", "MalformedTrailerError"
	const crc = "x-amz-checksum-crc32:rwVcVQ==\r\n" // not that of "body"
	upload := func(name, kind, body string, size int, want ...string) {
		changes := []func(*http.Request){
			s3test.SetHeader("X-Amz-Content-Sha256", kind), s3test.SetHeader("X-Amz-Decoded-Content-Length", fmt.Sprint(size)),
		}
		if strings.HasSuffix(kind, "-TRAILER") {
			changes = append(changes, s3test.SetHeader("X-Amz-Trailer", "x-amz-checksum-crc32"))
		}
		h.add("chunk "+name, h.signed(http.MethodPut, "/photos/k", body, changes...).Bytes(), want...)
	}
	for size, want := range map[string]string{
		"": invalid, "zz": invalid, "-5": invalid, "+4": invalid, "0x4": invalid, "4 ": invalid, " 4": invalid, "4.0": invalid, "4_0": invalid,
		"ffffffffffffffff": invalid, "8000000000000000": invalid, "7fffffffffffffff": incomplete, "80000000": incomplete, "7fffffff": incomplete,
		"1000001": incomplete, strings.Repeat("0", 5000) + "4": invalid, strings.Repeat("9", 100_000): invalid, "5": incomplete, "1000000": incomplete,
		"3": invalid, "0": incomplete,
	} {
		upload("size "+size[:min(len(size), 30)], unsignedStream, size+"\r\nbody\r\n0\r\n"+crc+"\r\n", 4, want)
	}
	for name, body := range map[string]string{
		"no signature": "4\r\nbody\r\n0\r\n\r\n", "empty signature": "4;chunk-signature=\r\nbody\r\n0;chunk-signature=\r\n\r\n",
		"zero signature":  "4;chunk-signature=" + strings.Repeat("0", 64) + "\r\nbody\r\n0\r\n\r\n",
		"odd extension":   "4;signature=" + strings.Repeat("0", 64) + "\r\nbody\r\n0\r\n\r\n",
		"short signature": "4;chunk-signature=00\r\nbody\r\n0\r\n\r\n",
	} {
		upload(name, signedStream, body, 4, mismatch)
		upload(name+" before a trailer", signedStream+"-TRAILER", body, 4, mismatch)
	}
	for name, tail := range map[string]string{
		"missing": "\r\n", "of another name": "x-amz-meta-a:b\r\n\r\n", "twice": crc + crc + "\r\n", "without colon": "x-amz-checksum-crc32\r\n\r\n",
		"and more": crc + "x-amz-checksum-sha1:a\r\n\r\n", "endless": strings.Repeat("\r\n", 100), "with a copy": crc + "x-amz-copy-source:/other/k\r\n\r\n",
	} {
		upload("trailer "+name, unsignedStream, "4\r\nbody\r\n0\r\n"+tail, 4, trailer)
	}
	upload("trailer too long", unsignedStream, "4\r\nbody\r\n0\r\nx-amz-checksum-crc32:"+strings.Repeat("a", 5000)+"\r\n\r\n", 4, invalid)
	upload("trailer with another checksum", unsignedStream, "4\r\nbody\r\n0\r\n"+crc+"\r\n", 4, "BadDigest")
	upload("trailer with an odd checksum", unsignedStream, "4\r\nbody\r\n0\r\nx-amz-checksum-crc32:?\r\n\r\n", 4, "InvalidDigest", "InvalidRequest")
	upload("cut in the data", unsignedStream, "4\r\nbo", 4, incomplete)
	upload("cut in the header", unsignedStream, "4", 4, incomplete)
	upload("without end", unsignedStream, "4\r\nbody\r\n", 4, incomplete)
	upload("too long", unsignedStream, "4\r\nbodybody\r\n0\r\n"+crc+"\r\n", 4, invalid)
	upload("and another request", signedStream, "0;chunk-signature=\r\n\r\nGET /other/k HTTP/1.1\r\n\r\n", 0, mismatch)
	upload("in tiny pieces", unsignedStream, strings.Repeat("1\r\nx\r\n", 5000)+"0\r\n"+crc+"\r\n", 5000, "InvalidChunkSizeError")
}

// silences are clients that stop sending. Their requests are rejected, or their connections ended.
//
//nolint:lll // one case a line
func (h *hostilities) silences() {
	unsigned := s3test.SetHeader("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	digest := s3test.SetHeader("Content-Md5", s3test.MD5Of("body"))
	const never = "1000"
	long := func(r *http.Request) { r.ContentLength = 1000 }
	for _, part := range []string{"", "b", "half a body"} {
		for name, w := range map[string]s3test.Wire{
			"put":      h.signed(http.MethodPut, "/photos/k", part, unsigned, long),
			"document": h.signed(http.MethodPost, "/photos?delete=", part, unsigned, digest, long),
			"stream": h.signed(http.MethodPut, "/photos/k", "3e8\r\n"+part, long, s3test.SetHeader("X-Amz-Content-Sha256", unsignedStream),
				s3test.SetHeader("X-Amz-Decoded-Content-Length", never)),
		} {
			h.add(fmt.Sprintf("silence after %q of a %s", part, name), w.Bytes(), "RequestTimeout")
		}
		rejected := h.signed(http.MethodPut, "/other/k", part, unsigned, long)
		h.add(fmt.Sprintf("silence after %q of a rejected put", part), rejected.Bytes(), "AccessDenied")
		form := s3test.Wire{Method: http.MethodPost, Target: "/", Header: []string{"Host: a", "Content-Type: application/x-www-form-urlencoded", "Content-Length: " + never}, Body: part}
		h.add(fmt.Sprintf("silence after %q of a form", part), form.Bytes(), "RequestTimeout")
	}
	whole := h.signed(http.MethodGet, "/photos/kept", "").Bytes()
	for _, n := range []int{0, 1, 10, len(whole) / 2, len(whole) - 2} {
		h.add(fmt.Sprintf("silence after %d bytes of a head", n), whole[:n], "0", "400", "408")
	}
	waiting := h.signed(http.MethodPut, "/photos/k", "", unsigned, long).With("Expect: 100-continue")
	h.add("silence after being asked to continue", waiting.Bytes(), "100")
	h.add("an odd expectation", waiting.Set("Expect", "200-ok").Bytes(), "417")
	for name, form := range map[string]url.Values{
		"token": s3test.AssumeForm("bad-token"), "huge": s3test.AssumeForm(strings.Repeat("t", 70_000)), "action": {"Action": {"AssumeRole"}}, "nothing": {},
	} {
		body := form.Encode()
		w := s3test.Wire{Method: http.MethodPost, Target: "/", Header: []string{
			"Host: a", "Content-Type: application/x-www-form-urlencoded", fmt.Sprintf("Content-Length: %d", len(body)),
		}, Body: body}
		h.add("form "+name, w.Bytes(), "InvalidIdentityToken", "ValidationError", "InvalidAction", "MissingAction")
	}
}
