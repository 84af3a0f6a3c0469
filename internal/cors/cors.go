// Package cors decides which pages of other origins may read responses, by rules in S3's form.
// Browsers enforce the headers of a response.
package cors

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// Methods are the methods that S3's rules can allow.
var Methods = []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodHead}

// Rule allows requests of pages. In Origins and Headers, a * matches any number of any characters.
// A rule must not be changed after it is stored.
type Rule struct {
	ID      string   `json:"id,omitempty"`
	Origins []string `json:"origins"`
	Methods []string `json:"methods"`
	// Headers are allowed request headers, besides those that browsers always allow.
	Headers []string `json:"headers,omitempty"`
	// Exposed are headers of responses that pages may read.
	Exposed []string `json:"exposed,omitempty"`
	// MaxAge is the time for which browsers may remember a preflight, in seconds; nil for S3's
	// default.
	MaxAge *int `json:"maxAge,omitempty"`
}

// Development returns a rule that allows everything to pages of some origins, or no rule without
// origins. S3 has no * in the names of exposed headers; here it means all names in the response.
func Development(origins []string) []Rule {
	if len(origins) == 0 {
		return nil
	}
	return []Rule{{
		ID: "development", Origins: slices.Clone(origins), Methods: slices.Clone(Methods), Headers: []string{"*"},
		Exposed: []string{"ETag", "x-amz-*"},
	}}
}

// Request is a request as rules see it.
type Request struct {
	Origin string
	Method string
	// Headers are the headers that a preflight announces.
	Headers []string
}

// Find returns the first rule that allows a request.
func Find(rules []Rule, r Request) (Rule, bool) {
	i := slices.IndexFunc(rules, func(rule Rule) bool { return rule.allows(r) })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

func (rule Rule) allows(r Request) bool {
	_, known := rule.origin(r.Origin)
	return known && slices.Contains(rule.Methods, r.Method) &&
		!slices.ContainsFunc(r.Headers, func(name string) bool { return !matchesName(rule.Headers, name) })
}

// origin returns the first pattern that an origin matches.
func (rule Rule) origin(origin string) (string, bool) {
	i := slices.IndexFunc(rule.Origins, func(pattern string) bool { return glob.Match(pattern, origin) })
	if i < 0 {
		return "", false
	}
	return rule.Origins[i], true
}

func matchesName(patterns []string, name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(patterns, func(pattern string) bool { return glob.Match(strings.ToLower(pattern), name) })
}

// Vary names the headers of requests that responses depend on.
const Vary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"

// Allow adds the rule's permissions to the header of a response. Credentials are allowed to named
// origins only, because browsers reject them with *.
func (rule Rule) Allow(header http.Header, r Request) {
	allowed := r.Origin
	if pattern, _ := rule.origin(r.Origin); pattern == "*" {
		allowed = pattern
	} else {
		header.Set("Access-Control-Allow-Credentials", "true")
	}
	exposed := rule.exposed(header)
	header.Set("Access-Control-Allow-Origin", allowed)
	header.Set("Access-Control-Allow-Methods", strings.Join(rule.Methods, ", "))
	set(header, "Access-Control-Allow-Headers", r.Headers)
	set(header, "Access-Control-Expose-Headers", exposed)
	if rule.MaxAge != nil {
		header.Set("Access-Control-Max-Age", strconv.Itoa(*rule.MaxAge))
	}
}

func set(header http.Header, name string, values []string) {
	if len(values) > 0 {
		header.Set(name, strings.Join(values, ", "))
	}
}

// exposed returns the names of headers that pages may read. It expands patterns, which browsers do
// not support, to the names in the response.
func (rule Rule) exposed(answer http.Header) []string {
	var names, patterns []string
	for _, name := range rule.Exposed {
		if glob.HasWildcard(name) {
			patterns = append(patterns, name)
		} else {
			names = append(names, name)
		}
	}
	for name := range answer {
		if matchesName(patterns, name) {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names[len(rule.Exposed)-len(patterns):])
	return names
}
