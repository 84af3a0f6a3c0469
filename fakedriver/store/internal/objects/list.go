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
	return b.list(q, func(p *pager, newest *Version) bool {
		return newest.IsDeleteMarker || p.add(Listed{newest, true})
	})
}

// ListVersions lists all versions: keys in the order of their bytes, and of each
// the newest version first.
func (b *Bucket) ListVersions(q Query) Page {
	resume := q.AfterVersion
	return b.list(q, func(p *pager, newest *Version) bool {
		v := newest
		if v.Key == q.After && resume != "" {
			v = after(v, resume)
		}
		for ; v != nil; v = v.older {
			if !p.add(Listed{v, v == newest}) {
				return false
			}
		}
		return true
	})
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

// list walks over the keys, and passes the newest version of each to show, which
// returns false when the page is full. A common prefix costs one seek, however
// many keys are under it.
func (b *Bucket) list(q Query, show func(*pager, *Version) bool) Page {
	p := &pager{query: q}
	if q.Max <= 0 {
		return p.page
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for from, more := q.start(), true; more; {
		more = false
		b.tree.AscendGreaterOrEqual(&Version{Key: from}, func(v *Version) bool {
			if !strings.HasPrefix(v.Key, q.Prefix) {
				return false
			}
			if group := q.group(v.Key); group != "" {
				from, more = p.skip(group, v, show)
				return false
			}
			return show(p, v)
		})
	}
	return p.page
}

// start returns the first key that a listing can have.
func (q Query) start() string {
	switch {
	case q.After == "" || q.After < q.Prefix:
		return q.Prefix
	case q.AfterVersion != "":
		return q.After
	case q.group(q.After) == q.After:
		return successor(q.After)
	default:
		return q.After + "\x00"
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
// prefix. Keys are UTF-8, so that the last byte is never 0xff.
func successor(prefix string) string {
	last := len(prefix) - 1
	return prefix[:last] + string([]byte{prefix[last] + 1})
}
