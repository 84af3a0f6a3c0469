package driveridentity

import (
	"fmt"
	"sync"
)

// Restarted is the present identity of a driver that may restart.
type Restarted struct {
	mu  sync.Mutex
	who Identity
}

// Get returns the present identity; the zero value before the first start.
func (r *Restarted) Get() Identity {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.who
}

// Set stores the present identity, and rejects one that differs where the driver must be the same.
// Objects refer to the name. Without a bridge, which stores them, the IDs of one generation would be
// lost in the other.
func (r *Restarted) Set(now Identity, bridged bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.who
	switch {
	case first == Identity{}:
	case first.Version != now.Version && !bridged:
		return fmt.Errorf("the driver spoke COSI %s before and speaks %s now: its IDs of the other generation would be lost; "+
			"run one that speaks %s, or start another emulator", first.Version, now.Version, first.Version)
	case first.Name != now.Name:
		return fmt.Errorf("the driver called itself %q before and %q now: objects refer to it by its name; start another emulator",
			first.Name, now.Name)
	}
	r.who = now
	return nil
}
