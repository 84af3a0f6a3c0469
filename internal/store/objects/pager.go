package objects

import (
	"slices"
	"strings"
)

type pager struct {
	query Query
	// first returns the first version to list of a key, given its latest version; nil if the key is
	// not listed.
	first func(newest *Version) *Version
	// withOlder also lists the older versions.
	withOlder bool
	// oldestFirst lists all versions in the other order.
	oldestFirst bool
	// hidesMarkers omits delete markers.
	hidesMarkers bool
	page         Page
}

// take adds a key to the page, unless it is not after the last one. It returns the key's common
// prefix, if it fits, and whether the next key may be taken.
func (p *pager) take(newest *Version) (group string, goOn bool) {
	if !strings.HasPrefix(newest.Key, p.query.Prefix) || p.query.To != "" && newest.Key >= p.query.To {
		return "", false
	}
	first := p.first(newest)
	if first == nil {
		return "", true
	}
	group = p.query.group(newest.Key)
	if group != "" && (!p.query.Trailing || group != newest.Key) {
		return group, false
	}
	if !p.add(newest, first) {
		return "", false
	}
	return group, group == ""
}

// add adds versions of a key to the page. It returns false if the page becomes full first.
func (p *pager) add(newest, first *Version) bool {
	if p.oldestFirst {
		return p.addOldestFirst(newest)
	}
	for v, newer := first, (*Version)(nil); v != nil; v, newer = v.older, v {
		if p.hidesMarkers && v.IsDeleteMarker {
			continue
		}
		if !p.addVersion(newest, v, newer) {
			return false
		}
		if !p.withOlder {
			break
		}
	}
	return true
}

// addVersion adds a version, and newer, the one after it, unless the page is full. Versions that do
// not match are skipped.
func (p *pager) addVersion(newest, v, newer *Version) bool {
	if !p.query.matches(v) {
		return true
	}
	if p.isFull() {
		return false
	}
	p.page.Versions = append(p.page.Versions, Listed{v, v == newest, newer})
	p.page.Next, p.page.NextVersion = v.Key, v.ID
	return true
}

// addOldestFirst is add in the other order, after the version with Query.AfterVersion.
func (p *pager) addOldestFirst(newest *Version) bool {
	var all []*Version
	for v := newest; v != nil; v = v.older {
		if newest.Key == p.query.After && v.ID == p.query.AfterVersion {
			break
		}
		all = append(all, v)
	}
	for i, v := range slices.Backward(all) {
		var newer *Version
		if i > 0 {
			newer = all[i-1]
		}
		if !v.IsDeleteMarker && !p.addVersion(newest, v, newer) {
			return false
		}
	}
	return true
}

func (q Query) matches(v *Version) bool {
	return (q.MatchKey == nil || q.MatchKey(v.Key)) && (q.MatchVersion == nil || q.MatchVersion(v))
}

// addGroup adds a common prefix to the page, if it matches. It returns false if the page is full.
func (p *pager) addGroup(group string) bool {
	if p.query.MatchKey != nil && !p.query.MatchKey(group) {
		return true
	}
	if p.isFull() {
		return false
	}
	p.page.Prefixes = append(p.page.Prefixes, group)
	p.page.Next, p.page.NextVersion = group, ""
	return true
}

func (p *pager) isFull() bool {
	p.page.IsTruncated = len(p.page.Versions)+len(p.page.Prefixes) >= p.query.Max
	return p.page.IsTruncated
}
