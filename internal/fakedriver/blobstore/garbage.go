package blobstore

import (
	"slices"
	"sync"
)

// maxSweep is the maximum number of blobs that one transaction deletes. Garbage is
// deleted together with the next commit, or by itself when there is as much as this.
const maxSweep = 1024

// garbage is a list of blobs to delete from the catalogue.
type garbage struct {
	mu  sync.Mutex
	ids []BlobID
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
	g.ids = g.ids[:rest]
	g.signal()
	return taken
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

// removeGarbage deletes some garbage. If that fails, Sweep deletes it at the next
// start.
func (d *Disk) removeGarbage() (more bool) {
	ids := d.garbage.take()
	return len(ids) > 0 && !d.broken.Load() && d.transact(nil, ids) == nil
}
