package objects

// pager fills a page.
type pager struct {
	query Query
	// first returns the first version to be shown of the key that has a newest
	// version; nil if the key is not to be shown.
	first func(newest *Version) *Version
	// withOlder says that those that are older are shown, too.
	withOlder bool
	page      Page
}

// add puts versions of a key on the page; if that gets full before, it says so and
// returns false.
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

// addGroup puts a common prefix on the page; if that is full already, it says so
// and returns false.
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
