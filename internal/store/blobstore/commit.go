package blobstore

import "fmt"

// request is a batch that waits for a transaction.
type request struct {
	changes []Change
	blobs   []storable // blobs that are not stored yet
	done    chan error
}

// Commit implements Store.
func (d *Disk) Commit(batch Batch) error {
	r := &request{changes: batch.Changes, done: make(chan error, 1)}
	for _, change := range batch.Changes {
		if err := change.check(); err != nil {
			return err
		}
	}
	for _, blob := range batch.Blobs {
		mine, ok := blob.(storable)
		if !ok {
			return fmt.Errorf("a blob of type %T is not of this store", blob)
		}
		if !mine.stored() {
			r.blobs = append(r.blobs, mine)
		}
	}
	if len(r.changes)+len(r.blobs) == 0 {
		return nil
	}
	select {
	case d.requests <- r:
		return <-r.done
	case <-d.closing:
		return ErrClosed
	}
}

// commitAll commits requests until the store is closed.
func (d *Disk) commitAll() {
	for {
		select {
		case first := <-d.requests:
			group := d.gather(first)
			err := d.commit(group)
			for _, r := range group {
				r.done <- err
			}
		case <-d.garbage.full:
			d.removeGarbage()
		case <-d.closing:
			for d.removeGarbage() {
				continue
			}
			return
		}
	}
}

// maxGroup limits the size of a transaction, and so the time that a caller waits.
const maxGroup = 256

// gather collects the requests that arrived during the previous transaction.
func (d *Disk) gather(first *request) []*request {
	group := []*request{first}
	for len(group) < maxGroup {
		select {
		case next := <-d.requests:
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// commit stores a group in one transaction, which also deletes some garbage.
func (d *Disk) commit(group []*request) error {
	if d.broken.Load() {
		return ErrBroken
	}
	if err := d.syncNames(group); err != nil {
		return fmt.Errorf("cannot make the names of blobs durable: %w", err)
	}
	garbage := d.garbage.take()
	err := d.transact(group, garbage)
	d.garbage.settle(err)
	if err != nil {
		return err
	}
	for _, r := range group {
		for _, blob := range r.blobs {
			blob.settle()
		}
	}
	return nil
}
