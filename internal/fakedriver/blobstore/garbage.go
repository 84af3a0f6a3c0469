package blobstore

import (
	"slices"
	"sync"
)

// maxSweep is how many blobs one transaction removes. Those that wait are removed
// by the next one that is requested, so that removing a blob does not cost one
// of its own; and without being asked for when there are as many as this.
const maxSweep = 1024

// garbage is a list of blobs that are to be struck from the catalogue.
type garbage struct {
	mu  sync.Mutex
	ids []BlobID
	// full has an element when there is enough for a transaction.
	full chan struct{}
}

func (g *garbage) add(ids ...BlobID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ids = append(g.ids, ids...)
	g.signal()
}

// take returns some of the list, for one transaction.
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

// removeGarbage removes some of what waits. What it cannot remove is left to Sweep
// when the store is opened again.
func (d *Disk) removeGarbage() (more bool) {
	ids := d.garbage.take()
	return len(ids) > 0 && !d.broken.Load() && d.transact(nil, ids) == nil
}
