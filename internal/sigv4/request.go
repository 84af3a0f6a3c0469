package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request is the part of a request that a signature covers.
type Request struct {
	// R is a request of a server: its path is decoded, and Host is not in the header.
	R *http.Request
	// Path is the client's escaped path. Default: the path of R, with all possible characters
	// escaped, except slashes.
	Path string
	// Query is the decoded query, whose parameter with the signature is not covered.
	Query url.Values
	// SignedHeaders are the names of the headers in lower case, sorted, and separated by
	// semicolons. HasHeader must be true for each.
	SignedHeaders string
	// Payload is the hash of the body, or its replacement.
	Payload string
}

// buffers are for canonical requests: most have a kilobyte.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer limits the buffers that are reused.
const maxBuffer = 16 << 10

// SignRequest signs a request of a time.
func (k Key) SignRequest(r Request, at time.Time, scope Scope) Signature {
	buffer, _ := buffers.Get().(*[]byte) // the pool has nothing else
	b := r.append((*buffer)[:0], scope.Scheme)
	digest := sha256.Sum256(b)
	b = appendSignedText(b[:0], schemes[scope.Scheme].algorithm, at, scope)
	signature := k.Sign(hex.AppendEncode(b, digest[:]))
	if cap(b) <= maxBuffer {
		*buffer = b
		buffers.Put(buffer)
	}
	return signature
}

// appendSignedText appends the first lines of all signed texts.
func appendSignedText(b []byte, algorithm string, at time.Time, scope Scope) []byte {
	b = append(append(b, algorithm...), '\n')
	b = append(at.UTC().AppendFormat(b, TimeFormat), '\n')
	return append(scope.append(b), '\n')
}

// SignText signs lines that follow the algorithm, the time and the scope.
func (k Key) SignText(algorithm string, at time.Time, scope Scope, lines ...string) Signature {
	b := appendSignedText(nil, algorithm, at, scope)
	return k.Sign(append(b, strings.Join(lines, "\n")...))
}

func (r Request) append(b []byte, scheme Scheme) []byte {
	b = append(append(b, r.R.Method...), '\n')
	if r.Path == "" {
		b = appendEscaped(b, r.R.URL.Path, '/')
	}
	b = append(append(b, r.Path...), '\n')
	b = append(appendQuery(b, r.Query, schemes[scheme].parameter), '\n')
	for name := range strings.SplitSeq(r.SignedHeaders, ";") {
		b = append(append(b, name...), ':')
		b = append(appendHeader(b, r.R, name), '\n')
	}
	b = append(b, '\n')
	b = append(append(b, r.SignedHeaders...), '\n')
	return append(b, r.Payload...)
}

// HasHeader reports whether a request has a header that is named in lower case. Net/http removes
// some headers, whose values are known nevertheless.
func HasHeader(r *http.Request, name string) bool {
	switch name {
	case "host", "expect", "transfer-encoding", "content-length":
		return true
	}
	return len(lookUp(r.Header, name)) > 0
}

func appendHeader(b []byte, r *http.Request, name string) []byte {
	values := lookUp(r.Header, name)
	if len(values) == 0 {
		switch name {
		case "host":
			return appendTrimmed(b, r.Host)
		case "expect":
			return append(b, "100-continue"...) // no other expectation exists
		case "content-length":
			return strconv.AppendInt(b, r.ContentLength, 10)
		case "transfer-encoding":
			values = r.TransferEncoding
		}
	}
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTrimmed(b, value)
	}
	return b
}

// maxName is the length of the longest name that is looked up without an allocation.
const maxName = 64

// lookUp returns the values of a header that is named in lower case.
func lookUp(header http.Header, name string) []string {
	if len(name) > maxName {
		return header[http.CanonicalHeaderKey(name)]
	}
	var canonical [maxName]byte
	first := true
	for i := range len(name) {
		c := name[i]
		if first && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		canonical[i], first = c, c == '-'
	}
	return header[string(canonical[:len(name)])]
}

// appendTrimmed appends a value without spaces around it, and without repeated spaces.
func appendTrimmed(b []byte, value string) []byte {
	value = strings.Trim(value, " ")
	for {
		i := strings.Index(value, "  ")
		if i < 0 {
			return append(b, value...)
		}
		b = append(b, value[:i+1]...)
		value = strings.TrimLeft(value[i:], " ")
	}
}
