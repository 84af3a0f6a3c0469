package gcs

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/signature"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
)

// route passes signed requests of the XML API to the S3 service. All others are served here.
func (s *Service) route(w http.ResponseWriter, r *http.Request) {
	if !isXML(r) {
		s.serve(w, r)
		return
	}
	translator := &googleWriter{ResponseWriter: w, r: r, keepsAmazon: !isGoogles(r)}
	defer translator.end()
	s.xml.Unwrapped().ServeHTTP(translator, r)
}

// IsXML reports whether a request expects errors in the form of the XML API.
func IsXML(r *http.Request) bool {
	query := r.URL.Query()
	return isXML(r) || !isJSON(r.URL.EscapedPath()) && isResumable(r, query)
}

// isXML reports whether a request belongs to the XML API and has a signature. Downloads with a
// token are served like the JSON API's, and resumable uploads belong to both.
func isXML(r *http.Request) bool {
	query, err := url.ParseQuery(r.URL.RawQuery)
	return err == nil && !isJSON(r.URL.EscapedPath()) && !isResumable(r, query) && signature.IsSigned(r, query)
}

// isGoogles reports whether a request has Google's form of a signature.
func isGoogles(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Authorization"), "GOOG") || r.URL.Query().Has("X-Goog-Algorithm")
}

// googleWriter gives headers Google's names. Requests with a signature of S3 get S3's names, too.
type googleWriter struct {
	http.ResponseWriter

	r           *http.Request
	keepsAmazon bool
	started     bool
	unpacker    *unpacker // nil: the content is sent unchanged
}

func (g *googleWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *googleWriter) WriteHeader(status int) {
	if !g.started && status >= http.StatusOK {
		g.started = true
		g.rename()
		if header := g.Header(); status == http.StatusOK && isUnpacked(g.r, header.Get("Content-Encoding"), header.Get("Cache-Control")) {
			g.unpacker = unpack(g.ResponseWriter)
		}
	}
	g.ResponseWriter.WriteHeader(status)
}

// end waits until everything has been sent. After a failure it ends the connection, so that the
// client sees that the content is incomplete.
func (g *googleWriter) end() {
	if g.unpacker != nil && g.unpacker.close(g.r.Method) != nil {
		panic(http.ErrAbortHandler)
	}
}

func (g *googleWriter) Write(data []byte) (int, error) {
	if !g.started {
		g.WriteHeader(http.StatusOK)
	}
	if g.unpacker != nil {
		return g.unpacker.in.Write(data)
	}
	return g.ResponseWriter.Write(data)
}

func (g *googleWriter) rename() {
	header := g.Header()
	header.Set("X-Guploader-Uploadid", header.Get("X-Amz-Request-Id"))
	if g.keepsAmazon {
		return
	}
	for name, values := range header {
		lower := strings.ToLower(name)
		if metadata, ok := strings.CutPrefix(lower, "x-amz-meta-"); ok {
			header["X-Goog-Meta-"+metadata] = values
		}
		if strings.HasPrefix(lower, "x-amz-") {
			delete(header, name)
		}
	}
}

func (s *Service) describeXML(r *http.Request) httpserver.Request {
	r, query, err := s.translate(r, r.URL.Query())
	if err != nil {
		return httpserver.Request{}
	}
	at := *r.URL
	at.RawQuery = query.Encode()
	r.URL = &at
	described := s.xml.Describe(r)
	described.Operation = xmlOperations[described.Operation]
	return described
}
