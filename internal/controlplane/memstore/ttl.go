package memstore

import (
	"container/heap"
	"strings"
	"sync"
	"time"
)

// expiries are the records that expire, the next one first. The lock of the store
// protects it.
type expiries struct {
	queue    expiryQueue
	byRecord map[*record]*expiry

	changed chan struct{} // holds one: another record is the next one
	stop    chan struct{} // nil until a record expires
	running sync.WaitGroup
}

type expiry struct {
	rec   *record
	when  time.Time
	index int // in the queue
}

// clear forgets all records.
func (e *expiries) clear() {
	e.queue, e.byRecord = nil, map[*record]*expiry{}
}

// replaceExpiry puts a record in the place of another: the former does not expire any
// more, and the latter does after ttl seconds, unless that is 0. Either may be nil. The
// caller holds the lock for writing.
func (s *Store) replaceExpiry(old, rec *record, ttl uint64) {
	e := &s.expiry
	if gone, ok := e.byRecord[old]; ok {
		heap.Remove(&e.queue, gone.index)
		delete(e.byRecord, old)
	}
	if rec != nil && ttl != 0 {
		s.expireAt(rec, s.options.Clock.Now().Add(time.Duration(ttl)*time.Second)) //nolint:gosec // seconds of a lifetime
	}
}

// expireAt has a record deleted at a time, unless the store is closed. The caller holds
// the lock for writing.
func (s *Store) expireAt(rec *record, when time.Time) {
	if s.closed {
		return
	}
	e := &s.expiry
	if e.stop == nil {
		e.stop = make(chan struct{})
		e.running.Go(s.expireRecords)
	}
	added := &expiry{rec: rec, when: when}
	e.byRecord[rec] = added
	heap.Push(&e.queue, added)
	if e.queue[0] == added {
		select {
		case e.changed <- struct{}{}:
		default: // it is going to look
		}
	}
}

// expireRecords deletes records when their time has come, until the store is closed.
func (s *Store) expireRecords() {
	for s.awaitExpiry(s.expire()) {
	}
}

// awaitExpiry waits until the time of the next record has come, if there is one, or until
// another is the next one. It returns false once the store is closed.
func (s *Store) awaitExpiry(in time.Duration, some bool) bool {
	var expired <-chan time.Time
	if some {
		timer := s.options.Clock.NewTimer(in)
		defer timer.Stop()
		expired = timer.C()
	}
	select {
	case <-expired:
		return true
	case <-s.expiry.changed:
		return true
	case <-s.expiry.stop:
		return false
	}
}

// expire deletes the records whose time has come, and returns how long the next one has,
// if there is one.
func (s *Store) expire() (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &s.expiry
	now := s.options.Clock.Now()
	for len(e.queue) > 0 && !e.queue[0].when.After(now) {
		rec := e.queue[0].rec
		if err := s.removeLocked(s.historyOfKey(rec.key), rec); err != nil {
			return 0, false // nothing can be written any more
		}
	}
	if len(e.queue) == 0 {
		return 0, false
	}
	return e.queue[0].when.Sub(now), true
}

// historyOfKey returns the history of the resource that has a key. An object that was
// restored may have none yet: it cannot have watchers.
func (s *Store) historyOfKey(key string) *history {
	for prefix, h := range s.histories {
		if strings.HasPrefix(key, prefix) {
			return h
		}
	}
	return &history{options: &s.options}
}

type expiryQueue []*expiry

// Len implements heap.Interface.
func (q *expiryQueue) Len() int { return len(*q) }

// Less implements heap.Interface.
func (q *expiryQueue) Less(i, j int) bool { return (*q)[i].when.Before((*q)[j].when) }

// Swap implements heap.Interface.
func (q *expiryQueue) Swap(i, j int) {
	(*q)[i], (*q)[j] = (*q)[j], (*q)[i]
	(*q)[i].index, (*q)[j].index = i, j
}

// Push implements heap.Interface.
func (q *expiryQueue) Push(x any) {
	added, _ := x.(*expiry)
	added.index = len(*q)
	*q = append(*q, added)
}

// Pop implements heap.Interface.
func (q *expiryQueue) Pop() any {
	last := len(*q) - 1
	popped := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return popped
}
