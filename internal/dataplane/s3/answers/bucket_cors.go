package answers

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/internal/cors"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// S3's limits of a CORS configuration.
const (
	maxCORSRules = 100
	maxCORSID    = 255
	maxCORSBytes = 64 << 10
)

type corsConfiguration struct {
	XMLName xml.Name   `xml:"CORSConfiguration"`
	Xmlns   string     `xml:"xmlns,attr,omitempty"`
	Rules   []corsRule `xml:"CORSRule"`
}

type corsRule struct {
	ID      string   `xml:"ID,omitempty"`
	Origins []string `xml:"AllowedOrigin"`
	Methods []string `xml:"AllowedMethod"`
	Headers []string `xml:"AllowedHeader"`
	MaxAge  *int     `xml:"MaxAgeSeconds"`
	Exposed []string `xml:"ExposeHeader"`
}

func (a *Answers) getBucketCors(x *s3exchange.Exchange) error {
	rules := x.Contents.Config().CORS
	if len(rules) == 0 {
		return s3error.ErrNoSuchCORSConfiguration
	}
	document := corsConfiguration{Xmlns: namespace}
	for _, r := range rules {
		document.Rules = append(document.Rules, corsRule{
			ID: r.ID, Origins: r.Origins, Methods: r.Methods, Headers: r.Headers, MaxAge: r.MaxAge, Exposed: r.Exposed,
		})
	}
	return sendXML(x, document)
}

func (a *Answers) putBucketCors(x *s3exchange.Exchange) error {
	rules, err := corsRules(x.Body)
	if err != nil {
		return err
	}
	if err := x.Contents.SetCORS(rules); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusOK)
	return nil
}

func (a *Answers) deleteBucketCors(x *s3exchange.Exchange) error {
	if err := x.Contents.SetCORS(nil); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}

// corsRules reads the document of PutBucketCors.
func corsRules(body []byte) ([]cors.Rule, error) {
	var document corsConfiguration
	if err := xml.Unmarshal(body, &document); err != nil {
		return nil, s3error.ErrMalformedXML
	}
	switch count := len(document.Rules); {
	case count == 0:
		return nil, s3error.ErrMalformedXML
	case count > maxCORSRules || len(body) > maxCORSBytes:
		return nil, s3error.ErrInvalidRequest.With("A CORS configuration can have at most " + strconv.Itoa(maxCORSRules) +
			" rules and " + strconv.Itoa(maxCORSBytes) + " bytes")
	}
	rules := make([]cors.Rule, 0, len(document.Rules))
	for _, r := range document.Rules {
		if err := r.check(); err != nil {
			return nil, err
		}
		rules = append(rules, cors.Rule{
			ID: r.ID, Origins: r.Origins, Methods: r.Methods, Headers: r.Headers, MaxAge: r.MaxAge, Exposed: r.Exposed,
		})
	}
	return rules, nil
}

func (r corsRule) check() error {
	if len(r.Methods) == 0 || len(r.Origins) == 0 || slices.Contains(slices.Concat(r.Origins, r.Headers, r.Exposed), "") {
		return s3error.ErrMalformedXML
	}
	if utf8.RuneCountInString(r.ID) > maxCORSID {
		return s3error.ErrInvalidRequest.With("The ID of a CORS rule can have at most " + strconv.Itoa(maxCORSID) + " characters")
	}
	if r.MaxAge != nil && *r.MaxAge < 0 {
		return s3error.ErrInvalidRequest.With("MaxAgeSeconds of a CORS rule must not be negative")
	}
	for _, method := range r.Methods {
		if !slices.Contains(cors.Methods, method) {
			return s3error.ErrInvalidRequest.With("Found unsupported HTTP method in CORS config. Unsupported method is " + method)
		}
	}
	return r.checkWildcards()
}

func (r corsRule) checkWildcards() error {
	for _, origin := range r.Origins {
		if strings.Count(origin, "*") > 1 {
			return s3error.ErrInvalidRequest.With("AllowedOrigin " + strconv.Quote(origin) + " can not have more than one wildcard.")
		}
	}
	for _, header := range r.Headers {
		if strings.Count(header, "*") > 1 {
			return s3error.ErrInvalidRequest.With("AllowedHeader " + strconv.Quote(header) + " can not have more than one wildcard.")
		}
	}
	for _, header := range r.Exposed {
		if strings.Contains(header, "*") {
			return s3error.ErrInvalidRequest.With("ExposeHeader " + strconv.Quote(header) +
				" contains wildcard. We currently do not support wildcard for ExposeHeader.")
		}
	}
	return nil
}
