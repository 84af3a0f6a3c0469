package objects

import "strings"

// Query says what a listing is to show.
type Query struct {
	Prefix, Delimiter string
	// After is where the listing begins: with the first key that follows it. If it
	// is a common prefix, what is under it has been listed.
	After string
	// AfterVersion, with After, begins among the versions of the key After; it is
	// for ListVersions.
	AfterVersion string
	// Max is how many keys and prefixes a page has.
	Max int
}

// Listed is a version in a listing.
type Listed struct {
	*Version

	// IsLatest says that it is the newest of its key.
	IsLatest bool
}

// Page is a part of a listing.
type Page struct {
	Versions []Listed
	Prefixes []string
	// IsTruncated says that there is more, after Next and NextVersion.
	IsTruncated       bool
	Next, NextVersion string
}

// List lists the newest versions of all keys in the order of their bytes, without
// those that are deleted.
func (b *Bucket) List(q Query) Page {
	q.AfterVersion = ""
	return b.list(&pager{query: q, first: func(newest *Version) *Version {
		if newest.IsDeleteMarker {
			return nil
		}
		return newest
	}})
}

// ListVersions lists all versions: keys in the order of their bytes, and of each
// the newest version first.
func (b *Bucket) ListVersions(q Query) Page {
	return b.list(&pager{query: q, withOlder: true, first: func(newest *Version) *Version {
		if newest.Key == q.After && q.AfterVersion != "" {
			return after(newest, q.AfterVersion)
		}
		return newest
	}})
}

// after returns the version that follows the one with an ID. If that is gone
// since, the key is listed again rather than cut short.
func after(newest *Version, id string) *Version {
	for v := newest; v != nil; v = v.older {
		if v.ID == id {
			return v.older
		}
	}
	return newest
}

// list walks over the keys until the page is full. A common prefix costs one seek,
// however many keys are under it; of keys that are not shown, each costs a step.
func (b *Bucket) list(p *pager) Page {
	if p.query.Max <= 0 {
		return p.page
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	from, more := p.query.start()
	for more {
		group := ""
		b.tree.AscendGreaterOrEqual(&Version{Key: from}, func(newest *Version) bool {
			if !strings.HasPrefix(newest.Key, p.query.Prefix) {
				return false
			}
			first := p.first(newest)
			if first == nil {
				return true
			}
			group = p.query.group(newest.Key)
			return group == "" && p.add(newest, first)
		})
		if group == "" || !p.addGroup(group) {
			break
		}
		from, more = successor(group)
	}
	return p.page
}

// start returns the first key that a listing can have, if there can be any.
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

// group returns the common prefix that a key is listed under, or "".
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

// successor returns the least string that is greater than all that have the
// prefix. There is none for bytes 0xff only, which a client may send as a marker.
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
