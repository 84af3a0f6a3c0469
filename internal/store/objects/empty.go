package objects

// Empty deletes all versions of all keys, including locked ones, and all uploads, key by key.
// Concurrent writes may stay.
func (b *Bucket) Empty() error {
	for _, u := range b.ListUploads(Query{Max: maxKeys, Appended: true}).Uploads {
		if err := b.AbortUpload(u.Key, u.ID); err != nil {
			return err
		}
	}
	for _, key := range b.keysOf() {
		_, err := b.Modify(key, func(current []*Version) (Modification, error) { return Modification{Remove: current}, nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// maxKeys is no limit.
const maxKeys = 1 << 62

func (b *Bucket) keysOf() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var all []string
	b.tree.Ascend(func(v *Version) bool {
		all = append(all, v.Key)
		return true
	})
	return all
}
