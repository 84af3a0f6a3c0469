package blobstore

import bolt "go.etcd.io/bbolt"

// Interpose puts a function around every transaction, which it may run or not.
func (d *Disk) Interpose(around func(run func() error) error) {
	update := d.db.Update
	d.update = func(change func(*bolt.Tx) error) error {
		return around(func() error { return update(change) })
	}
}

// Garbage returns the number of blobs to be removed.
func (d *Disk) Garbage() int {
	d.garbage.mu.Lock()
	defer d.garbage.mu.Unlock()
	return len(d.garbage.ids)
}
