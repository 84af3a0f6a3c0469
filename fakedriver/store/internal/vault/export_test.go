package vault

import bolt "go.etcd.io/bbolt"

// Transaction returns the number of the last transaction.
func (d *Disk) Transaction() (int, error) { return d.transaction() }

// Interpose puts a function around every transaction, which it may run or not.
func (d *Disk) Interpose(around func(run func() error) error) {
	update := d.db.Update
	d.update = func(change func(*bolt.Tx) error) error {
		return around(func() error { return update(change) })
	}
}
