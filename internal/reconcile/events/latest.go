package events

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
)

// maxLatest is the number of objects whose latest Event is remembered.
const maxLatest = 4096

// Latest remembers what was last reported of each object, so that an object that keeps
// failing in the same way is reported once. It is safe for concurrent use.
type Latest struct {
	reported *lru.Cache // of types.UID to any
}

// NewLatest returns a Latest that remembers nothing.
func NewLatest() *Latest { return &Latest{reported: lru.New(maxLatest)} }

// IsNew reports whether the news about an object, which are comparable, differ from the
// latest, and remembers them.
func (l *Latest) IsNew(object types.UID, news any) bool {
	before, known := l.reported.Get(object)
	l.reported.Add(object, news)
	return !known || before != news
}

// Forget removes what is remembered of an object.
func (l *Latest) Forget(object types.UID) { l.reported.Remove(object) }
