package objects

import "strings"

// Query has the parameters of a listing.
type Query struct {
	Prefix, Delimiter string
	// After is the key or common prefix after which the listing starts.
	After string
	// AfterVersion, with After, starts among the versions of the key After; it is for
	// ListVersions.
	AfterVersion string
	// From is the first key that may be listed, and To the first that may not; empty for no bound.
	From, To string
	// Trailing also lists a key that equals a common prefix.
	Trailing bool
	// MatchKey, if set, filters keys and common prefixes, and MatchVersion versions.
	MatchKey     func(key string) bool
	MatchVersion func(*Version) bool
	// Appended also lists uploads with Upload.Appended.
	Appended bool
	// Max is the maximum number of keys and prefixes on a page.
	Max int
}

// Listed is a version in a listing.
type Listed struct {
	*Version

	// IsLatest means that it is the latest version of its key.
	IsLatest bool
	// Newer is the version after it, and nil for the latest.
	Newer *Version
}

// Page is one page of a listing.
type Page struct {
	Versions []Listed
	Prefixes []string
	// IsTruncated means that the listing continues after Next and NextVersion.
	IsTruncated       bool
	Next, NextVersion string
}

// List lists the latest versions of all keys in byte order, without deleted objects.
func (b *Bucket) List(q Query) Page {
	q.AfterVersion = ""
	return b.list(&pager{query: q, first: func(newest *Version) *Version {
		if newest.IsDeleteMarker {
			return nil
		}
		return newest
	}})
}

// ListVersions lists all versions: keys in byte order, and for each key the latest
// version first.
func (b *Bucket) ListVersions(q Query) Page {
	return b.list(&pager{query: q, withOlder: true, first: func(newest *Version) *Version {
		if newest.Key == q.After && q.AfterVersion != "" {
			return after(newest, q.AfterVersion)
		}
		return newest
	}})
}

// ListGenerations lists all versions: keys in byte order, and for each key the oldest version
// first.
func (b *Bucket) ListGenerations(q Query) Page {
	return b.list(&pager{query: q, oldestFirst: true, first: func(newest *Version) *Version { return newest }})
}

// after returns the version that follows the one with an ID. If that version was deleted meanwhile,
// the key is listed again from the start.
func after(newest *Version, id string) *Version {
	for v := newest; v != nil; v = v.older {
		if v.ID == id {
			return v.older
		}
	}
	return newest
}

// list lists keys until the page is full. A common prefix costs one seek, for any number of keys.
// Each hidden key costs one step.
func (b *Bucket) list(p *pager) Page {
	if p.query.Max <= 0 {
		return p.page
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	p.hidesMarkers = b.config.Generations
	from, more := p.query.start()
	from = max(from, p.query.From)
	for more {
		group := ""
		b.tree.AscendGreaterOrEqual(&Version{Key: from}, func(newest *Version) (goOn bool) {
			group, goOn = p.take(newest)
			return goOn
		})
		if group == "" || !p.addGroup(group) {
			break
		}
		from, more = successor(group)
	}
	return p.page
}

// start returns the first possible key of a listing, if any.
func (q Query) start() (key string, ok bool) {
	switch {
	case q.After == "" || q.After < q.Prefix:
		return q.Prefix, true
	case q.AfterVersion != "":
		return q.After, true
	case q.group(q.After) == q.After:
		return successor(q.After)
	default:
		return q.After + "\x00", true
	}
}

// group returns the common prefix of a key, or "".
func (q Query) group(key string) string {
	if q.Delimiter == "" || !strings.HasPrefix(key, q.Prefix) {
		return ""
	}
	end := strings.Index(key[len(q.Prefix):], q.Delimiter)
	if end < 0 {
		return ""
	}
	return key[:len(q.Prefix)+end+len(q.Delimiter)]
}

// successor returns the least string that is greater than all strings with the prefix. It does not
// exist for a prefix of 0xff bytes, which a client may send as a marker.
func successor(prefix string) (string, bool) {
	last := len(prefix) - 1
	for last >= 0 && prefix[last] == 0xff {
		last--
	}
	if last < 0 {
		return "", false
	}
	return prefix[:last] + string([]byte{prefix[last] + 1}), true
}
