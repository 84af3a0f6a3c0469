package gcs

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
)

// listing has the parameters of a list request.
type listing struct {
	prefix, delimiter, start, end string
	trailing                      bool // also list objects whose names end with the delimiter
	most                          int
	after                         string // the last entry of the previous page, as in page
}

// page is one page of a list.
type page struct {
	objects  []*object
	prefixes []string
	// last is the last entry if there are more pages: a letter for its type, then an
	// object's name or a prefix.
	last string
}

const (
	lastObject = "o"
	lastPrefix = "p"
	// maxResults is Google's maximum number of entries in a response.
	maxResults = 1000
)

func parseListing(query url.Values) (listing, error) {
	l := listing{
		prefix: query.Get("prefix"), delimiter: query.Get("delimiter"), start: query.Get("startOffset"), end: query.Get("endOffset"),
		trailing: query.Get("includeTrailingDelimiter") == "true", most: maxResults,
	}
	if text := query.Get("maxResults"); text != "" {
		asked, err := strconv.Atoi(text)
		if err != nil || asked < 0 {
			return l, errInvalid.with("Invalid value for maxResults")
		}
		if asked > 0 {
			l.most = min(asked, maxResults)
		}
	}
	last, err := base64.URLEncoding.DecodeString(query.Get("pageToken"))
	l.after = string(last)
	if err != nil || l.after != "" && !strings.HasPrefix(l.after, lastObject) && !strings.HasPrefix(l.after, lastPrefix) {
		return l, errInvalid.with("Invalid value for pageToken")
	}
	return l, nil
}

// first returns the names that may be on the page.
func (l listing) first(s *bucketIndex) []string {
	names := s.after(max(l.prefix, l.start))
	switch {
	case strings.HasPrefix(l.after, lastPrefix):
		return skip(s.after(max(l.prefix, l.start, l.after[1:])), l.after[1:])
	case l.after != "":
		return s.after(max(l.prefix, l.start, l.after[1:]+"\x00"))
	}
	return names
}

// list makes a page. It skips all names with a common prefix at once.
func (s *bucketIndex) list(l listing) page {
	var p page
	count := 0
	for names := l.first(s); len(names) > 0 && strings.HasPrefix(names[0], l.prefix) && (l.end == "" || names[0] < l.end); {
		if count >= l.most {
			return p
		}
		name := names[0]
		group, grouped := l.group(name)
		if !grouped || l.trailing && name == group {
			p.objects = append(p.objects, s.objects[name])
			p.last = lastObject + name
			count++
		}
		names = names[1:]
		if grouped {
			p.prefixes = append(p.prefixes, group)
			p.last = lastPrefix + group
			names = skip(names, group)
			count++
		}
	}
	p.last = ""
	return p
}

// group returns the common prefix of a name, if it has one.
func (l listing) group(name string) (string, bool) {
	if l.delimiter == "" {
		return "", false
	}
	i := strings.Index(name[len(l.prefix):], l.delimiter)
	if i < 0 {
		return "", false
	}
	return name[:len(l.prefix)+i+len(l.delimiter)], true
}

func (p page) token() string { return base64.URLEncoding.EncodeToString([]byte(p.last)) }
