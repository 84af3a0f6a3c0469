package gcs

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// listing has the parameters of a list request.
type listing struct {
	objects.Query

	versions bool // all versions, not only the latest
}

// Kinds of the last entry of a page, in its token.
const (
	lastObject  = "o"
	lastPrefix  = "p"
	lastVersion = "v" // then the generation, a slash, and the name
)

// maxResults is Google's maximum number of entries in a response.
const maxResults = 1000

func parseListing(query url.Values) (listing, error) {
	l := listing{Query: objects.Query{
		Prefix: query.Get("prefix"), Delimiter: query.Get("delimiter"), From: query.Get("startOffset"), To: query.Get("endOffset"),
		Trailing: query.Get("includeTrailingDelimiter") == "true", Max: maxResults,
	}, versions: query.Get("versions") == "true"}
	if text := query.Get("maxResults"); text != "" {
		asked, err := strconv.Atoi(text)
		if err != nil || asked < 0 {
			return l, failure.ErrInvalid.With("Invalid value for maxResults")
		}
		if asked > 0 {
			l.Max = min(asked, maxResults)
		}
	}
	if err := match(&l.Query, query); err != nil {
		return l, err
	}
	last, err := base64.URLEncoding.DecodeString(query.Get("pageToken"))
	if err != nil || !resume(&l.Query, string(last)) {
		return l, failure.ErrInvalid.With("Invalid value for pageToken")
	}
	return l, nil
}

// match reads the parameters that select by more than a prefix.
func match(l *objects.Query, query url.Values) (err error) {
	if glob := query.Get("matchGlob"); glob != "" {
		if l.MatchKey, err = parseGlob(glob); err != nil {
			return err
		}
	}
	if filter := query.Get("filter"); filter != "" {
		l.MatchVersion, err = parseFilter(filter)
	}
	return err
}

// resume starts the listing after the last entry of another page. It reports whether the token is
// valid.
func resume(l *objects.Query, last string) bool {
	switch {
	case last == "":
	case strings.HasPrefix(last, lastObject):
		l.From = max(l.From, last[1:]+"\x00")
	case strings.HasPrefix(last, lastPrefix):
		l.After = last[1:]
	case strings.HasPrefix(last, lastVersion):
		l.AfterVersion, l.After, _ = strings.Cut(last[1:], "/")
	default:
		return false
	}
	return true
}

// page returns the page of a bucket.
func (l listing) page(of *objects.Bucket) objects.Page {
	if l.versions {
		return of.ListGenerations(l.Query)
	}
	return of.List(l.Query)
}

// token returns the token of the next page, if any.
func (l listing) token(p objects.Page) string {
	var last string
	switch {
	case !p.IsTruncated:
		return ""
	case p.NextVersion == "":
		last = lastPrefix + p.Next
	case l.versions:
		last = lastVersion + p.NextVersion + "/" + p.Next
	default:
		last = lastObject + p.Next
	}
	return base64.URLEncoding.EncodeToString([]byte(last))
}

func (s *Service) list(x *exchange) error {
	asked, err := parseListing(x.Query)
	if err != nil {
		return err
	}
	page := asked.page(x.bucket)
	answer := struct {
		Kind          string           `json:"kind"`
		Items         []objectResource `json:"items,omitempty"`
		Prefixes      []string         `json:"prefixes,omitempty"`
		NextPageToken string           `json:"nextPageToken,omitempty"`
	}{Kind: "storage#objects", Prefixes: page.Prefixes, NextPageToken: asked.token(page)}
	for _, listed := range page.Versions {
		o, err := objectOf(x.target.bucket, listed.Version)
		if err != nil {
			return err
		}
		item := x.resource(&o.attributes)
		if listed.Newer != nil {
			item.TimeDeleted = listed.Newer.Modified()
		}
		answer.Items = append(answer.Items, item)
	}
	return x.send(answer)
}
