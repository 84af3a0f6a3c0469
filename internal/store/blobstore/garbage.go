package blobstore

import (
	"slices"
	"sync"
)

// maxSweep is the maximum number of blobs that one transaction deletes. Garbage is deleted together
// with the next commit, or separately when it reaches this number.
const maxSweep = 1024

// garbage is a list of blobs to delete from the catalogue.
type garbage struct {
	mu  sync.Mutex
	ids []BlobID
	// taken are deleted by the running transaction.
	taken []BlobID
	// full signals that there is enough garbage for a transaction.
	full chan struct{}
}

func (g *garbage) add(ids ...BlobID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ids = append(g.ids, ids...)
	g.signal()
}

// take removes a part of the list, for one transaction.
func (g *garbage) take() []BlobID {
	g.mu.Lock()
	defer g.mu.Unlock()
	rest := max(len(g.ids)-maxSweep, 0)
	taken := slices.Clone(g.ids[rest:])
	g.ids, g.taken = g.ids[:rest], taken
	g.signal()
	return taken
}

// settle ends the transaction of the last take. Garbage that it did not delete stays.
func (g *garbage) settle(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.ids = append(g.ids, g.taken...)
	}
	g.taken = nil
}

// all returns the blobs that are to be deleted.
func (g *garbage) all() []BlobID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Concat(g.ids, g.taken)
}

func (g *garbage) signal() {
	if len(g.ids) < maxSweep {
		return
	}
	select {
	case g.full <- struct{}{}:
	default:
	}
}

// removeGarbage deletes some garbage. If that fails, a later commit deletes it, or Sweep at the
// next start.
func (d *Disk) removeGarbage() (more bool) {
	ids := d.garbage.take()
	if len(ids) == 0 {
		return false
	}
	err := ErrBroken
	if !d.broken.Load() {
		err = d.transact(nil, ids)
	}
	d.garbage.settle(err)
	return err == nil
}
