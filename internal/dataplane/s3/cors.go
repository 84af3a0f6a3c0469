package s3

import (
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/cors"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Preflight is the name of a browser's request before a request of a page of another origin. It
// needs no key, because browsers send none.
const Preflight = "Preflight"

func isPreflight(r *http.Request) bool { return r.Method == http.MethodOptions }

// corsRules returns the rules of a bucket, or the service's if the bucket has none, or does not
// exist, because the difference must not be disclosed.
func (s *Service) corsRules(bucket string) []cors.Rule {
	b, ok := s.options.Store.Registry().Bucket(bucket)
	if !ok || b.Protocol != fakedriver.ProtocolS3 {
		return s.cors
	}
	contents, err := s.options.Store.Objects().Bucket(b.UID)
	if err != nil {
		return s.cors
	}
	if rules := contents.Config().CORS; len(rules) > 0 {
		return rules
	}
	return s.cors
}

// checkPreflight finds the rule that allows the announced request.
func (s *Service) checkPreflight(x *s3exchange.Exchange) error {
	x.Operation.Name = Preflight
	header := x.R.Header
	asked := cors.Request{
		Origin: header.Get("Origin"), Method: header.Get("Access-Control-Request-Method"),
		Headers: listed(header.Values("Access-Control-Request-Headers")),
	}
	switch {
	case asked.Origin == "":
		return s3error.ErrBadRequest.With("Insufficient information. Origin request header needed.")
	case asked.Method == "":
		return s3error.ErrBadRequest.With("Invalid Access-Control-Request-Method: null")
	}
	rules := s.corsRules(x.Bucket)
	rule, allowed := cors.Find(rules, asked)
	if !allowed {
		return forbidden(len(rules) > 0, asked.Method, x.Key != "")
	}
	x.W = &corsWriter{ResponseWriter: x.W, rule: &rule, request: asked}
	return nil
}

func forbidden(enabled bool, method string, object bool) error {
	failure := s3error.ErrAccessForbidden.With("CORSResponse: CORS is not enabled for this bucket.")
	if enabled {
		failure = s3error.ErrAccessForbidden.With("CORSResponse: This CORS request is not allowed. This is usually because the " +
			"evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not " +
			"whitelisted by the resource's CORS spec.")
	}
	kind := "BUCKET"
	if object {
		kind = "OBJECT"
	}
	return failure.About("Method", method).About("ResourceType", kind)
}

// answerPreflight answers an allowed preflight; the header has all data.
func (s *Service) answerPreflight(x *s3exchange.Exchange) error {
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// listed returns the elements of a header that is a list, in lower case.
func listed(lines []string) (all []string) {
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			if element = strings.ToLower(strings.TrimSpace(element)); element != "" {
				all = append(all, element)
			}
		}
	}
	return all
}

// AllowOrigin returns a writer that adds the permission for a page of another origin to a response,
// errors included.
func (s *Service) AllowOrigin(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	origin := r.Header.Get("Origin")
	if origin == "" || isPreflight(r) {
		return w
	}
	bucket, _, err := s.hosts.locate(r)
	if err != nil {
		bucket = ""
	}
	rules := s.corsRules(bucket)
	if len(rules) == 0 {
		return w
	}
	allowing := &corsWriter{ResponseWriter: w, request: cors.Request{Origin: origin, Method: r.Method}}
	if rule, allowed := cors.Find(rules, allowing.request); allowed {
		allowing.rule = &rule
	}
	return allowing
}

// corsWriter adds the headers for a page of another origin when the response starts, because the
// page's permissions depend on the headers of the response.
type corsWriter struct {
	http.ResponseWriter

	rule    *cors.Rule // nil if none allows the request
	request cors.Request
	started bool
}

func (w *corsWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *corsWriter) WriteHeader(status int) {
	if !w.started && status >= http.StatusOK {
		w.started = true
		w.Header().Set("Vary", cors.Vary)
		if w.rule != nil {
			w.rule.Allow(w.Header(), w.request)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *corsWriter) Write(data []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(data)
}
