package memstore

import (
	"container/heap"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// expiries are the records that expire, the next one first. The lock of the store
// protects it.
type expiries struct {
	queue    expiryQueue
	byRecord map[*record]*expiry
	timer    clock.Timer
}

type expiry struct {
	rec   *record
	when  time.Time
	index int // in the queue
}

// stop forgets everything.
func (e *expiries) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
	*e = expiries{}
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
	if rec == nil || ttl == 0 || s.closed {
		return
	}
	s.expireAt(rec, s.options.Clock.Now().Add(time.Duration(ttl)*time.Second)) //nolint:gosec // seconds of a lifetime
}

func (s *Store) expireAt(rec *record, when time.Time) {
	e := &s.expiry
	added := &expiry{rec: rec, when: when}
	if e.byRecord == nil {
		e.byRecord = map[*record]*expiry{}
	}
	e.byRecord[rec] = added
	heap.Push(&e.queue, added)
	if e.queue[0] == added {
		s.setTimer()
	}
}

// setTimer has expire called when the next record expires.
func (s *Store) setTimer() {
	e := &s.expiry
	if e.timer != nil {
		e.timer.Stop()
	}
	e.timer = s.options.Clock.AfterFunc(e.queue[0].when.Sub(s.options.Clock.Now()), s.expire)
}

// expire deletes the records whose time has come.
func (s *Store) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &s.expiry
	for now := s.options.Clock.Now(); len(e.queue) > 0 && !e.queue[0].when.After(now); {
		rec := e.queue[0].rec
		s.removeLocked(s.historyOfKey(rec.key), rec)
	}
	if len(e.queue) > 0 {
		s.setTimer()
	}
}

// historyOfKey returns the history of the resource that has a key. An object that was
// restored may have none yet: nobody can have watched it.
func (s *Store) historyOfKey(key string) *history {
	for prefix, h := range s.resource {
		if strings.HasPrefix(key, prefix) {
			return h
		}
	}
	return &history{options: &s.options}
}

type expiryQueue []*expiry

func (q expiryQueue) Len() int           { return len(q) }
func (q expiryQueue) Less(i, j int) bool { return q[i].when.Before(q[j].when) }

func (q expiryQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *expiryQueue) Push(x any) {
	added, _ := x.(*expiry)
	added.index = len(*q)
	*q = append(*q, added)
}

func (q *expiryQueue) Pop() any {
	last := len(*q) - 1
	popped := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return popped
}
