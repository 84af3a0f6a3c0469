package gcs

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
)

// ask makes a request to the library, of what has been understood of x.
func (s *Service) ask(x *exchange, w http.ResponseWriter, path []string, query url.Values) {
	u := &url.URL{RawQuery: query.Encode()}
	for _, segment := range path {
		u.Path += "/" + segment
		u.RawPath += "/" + url.PathEscape(segment)
	}
	r := (&http.Request{Method: x.r.Method, URL: u, Host: x.r.Host, Header: http.Header{}, Body: http.NoBody}).WithContext(x.r.Context())
	// Otherwise the library would unpack what is compressed, all at once.
	r.Header.Set("Accept-Encoding", "gzip")
	if x.r.Header.Get("Range") != "" {
		r.Header.Set("Range", x.r.Header.Get("Range"))
	}
	s.library.HTTPHandler().ServeHTTP(w, r)
}

// download sends the content of an object.
func (s *Service) download(x *exchange) error {
	if _, err := s.existing(x); err != nil {
		return err
	}
	s.ask(x, answer{x.w, x}, []string{"download", "storage", "v1", "b", x.target.bucket, "o", x.target.object}, nil)
	return nil
}

// describe sends the metadata of an object.
func (s *Service) describe(x *exchange) error {
	if _, err := s.existing(x); err != nil {
		return err
	}
	return x.send(http.StatusOK, s.resource(x))
}

// resource returns the metadata of the object, as the library writes it.
func (s *Service) resource(x *exchange) []byte {
	get := *x
	get.r = x.r.Clone(x.r.Context())
	get.r.Method = http.MethodGet
	recorder := httptest.NewRecorder()
	s.ask(&get, recorder, []string{"storage", "v1", "b", x.target.bucket, "o", x.target.object}, nil)
	return recorder.Body.Bytes()
}

func (s *Service) describeBucket(x *exchange) error {
	s.ask(x, answer{x.w, x}, []string{"storage", "v1", "b", x.target.bucket}, nil)
	return nil
}

// maxResults is how many objects Google sends at most in one answer.
const maxResults = 1000

// list sends the metadata of objects. With a delimiter all of it comes at once,
// because the library would repeat the prefixes on each page.
func (s *Service) list(x *exchange) error {
	query := url.Values{}
	for _, name := range onList {
		if value := x.query.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	switch {
	case len(query.Get("delimiter")) > 1:
		return errNotImplemented.with("cosi-emu does not implement delimiters of more than one character")
	case query.Get("delimiter") != "":
		query.Del("maxResults")
	default:
		asked, err := strconv.Atoi(query.Get("maxResults"))
		if query.Has("maxResults") && (err != nil || asked < 0) {
			return errInvalid.with("Invalid value for maxResults")
		}
		if asked <= 0 || asked > maxResults {
			query.Set("maxResults", strconv.Itoa(maxResults))
		}
	}
	s.ask(x, answer{x.w, x}, []string{"storage", "v1", "b", x.target.bucket, "o"}, query)
	return nil
}

// send sends a JSON document.
func (x *exchange) send(status int, body []byte) error {
	x.w.Header().Set("Content-Type", contentTypeJSON)
	x.begin(status)
	_, err := x.w.Write(body)
	return err
}
