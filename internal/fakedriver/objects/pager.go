package objects

// pager fills a page.
type pager struct {
	query Query
	// first returns the first version to list of a key, given its latest version; nil if
	// the key is not listed.
	first func(newest *Version) *Version
	// withOlder also lists the older versions.
	withOlder bool
	page      Page
}

// add adds versions of a key to the page. It returns false if the page becomes full
// before.
func (p *pager) add(newest, first *Version) bool {
	for v := first; v != nil; v = v.older {
		if p.isFull() {
			return false
		}
		p.page.Versions = append(p.page.Versions, Listed{v, v == newest})
		p.page.Next, p.page.NextVersion = v.Key, v.ID
		if !p.withOlder {
			break
		}
	}
	return true
}

// addGroup adds a common prefix to the page. It returns false if the page is full.
func (p *pager) addGroup(group string) bool {
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
