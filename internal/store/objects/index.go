package objects

// head returns the latest version of a key, or nil.
func (b *Bucket) head(key string) *Version {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, _ := b.tree.Get(&Version{Key: key})
	return v
}

// find returns the version with an ID, or nil; the latest if the ID is empty.
func (b *Bucket) find(key, id string) *Version {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.lookUp(key, id)
}

func (b *Bucket) lookUp(key, id string) *Version {
	newest, _ := b.tree.Get(&Version{Key: key})
	if id == "" {
		return newest
	}
	return newest.find(id)
}

// find returns the version with an ID among v, which may be nil, and older versions, or nil. The
// caller holds the lock of the bucket or of the key, so that the versions do not change.
func (v *Version) find(id string) *Version {
	for v != nil && v.ID != id {
		v = v.older
	}
	return v
}

// insert makes v the latest version of its key, and removes replaced, which may be
// nil.
func (b *Bucket) insert(v, replaced *Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if replaced != nil {
		b.unlink(replaced)
	}
	v.older, _ = b.tree.Get(v)
	b.tree.ReplaceOrInsert(v)
}

func (b *Bucket) remove(v *Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unlink(v)
}

func (b *Bucket) unlink(v *Version) {
	newest, _ := b.tree.Get(v)
	switch {
	case newest != v:
		newerThan(newest, v).older = v.older
	case v.older != nil:
		b.tree.ReplaceOrInsert(v.older)
	default:
		b.tree.Delete(v)
	}
}

func (b *Bucket) substitute(v, changed *Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed.older = v.older
	newest, _ := b.tree.Get(v)
	if newest == v {
		b.tree.ReplaceOrInsert(changed)
		return
	}
	newerThan(newest, v).older = changed
}

func newerThan(newest, v *Version) *Version {
	for newest.older != v {
		newest = newest.older
	}
	return newest
}
