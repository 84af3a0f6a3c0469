package objects

// pager fills a page.
type pager struct {
	query Query
	page  Page
}

// add puts a version on the page; if that is full already, it says so and returns
// false.
func (p *pager) add(v Listed) bool {
	if p.isFull() {
		return false
	}
	p.page.Versions = append(p.page.Versions, v)
	p.page.Next, p.page.NextVersion = v.Key, v.ID
	return true
}

func (p *pager) isFull() bool {
	p.page.IsTruncated = len(p.page.Versions)+len(p.page.Prefixes) >= p.query.Max
	return p.page.IsTruncated
}

// skip puts the group of a key on the page, and returns where the walk goes on.
// A group in which all is deleted is not shown: keys of it are passed one by one
// until one would be.
func (p *pager) skip(group string, v *Version, show func(*pager, *Version) bool) (from string, more bool) {
	probe := &pager{query: Query{Max: 1}}
	if show(probe, v); len(probe.page.Versions) == 0 {
		return v.Key + "\x00", true
	}
	if p.isFull() {
		return "", false
	}
	p.page.Prefixes = append(p.page.Prefixes, group)
	p.page.Next, p.page.NextVersion = group, ""
	return successor(group), true
}
