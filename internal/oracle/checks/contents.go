package checks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// contents are the objects in buckets that the events prove.
type contents struct {
	// there has the latest time at which an object existed, by bucket and key.
	there map[string]map[string]time.Time
	// taken has, by bucket, the end of the last deletion of an object.
	taken map[string]time.Time
	// latest is the end of the last request that has put an object.
	latest time.Time
}

// note records the effect of a request at the store seam on the objects.
func (c *contents) note(event journal.Event) {
	bucket, key, _ := strings.Cut(event.Operation.Subject, "/")
	stored, name := operations.Stored(event), event.Operation.Name
	if operations.DeletesOthers(name) {
		c.take(bucket, "", event)
	}
	switch {
	case name == operations.AdminCreateBucket, name == operations.AdminDeleteBucket && !event.Failed():
		delete(c.there, bucket)
	case stored != "":
		c.put(bucket, stored, event)
	case operations.Deletes(name):
		c.take(bucket, key, event)
	}
}

// contentsAt returns the objects that must exist after an event.
func contentsAt(e *evidence.Evidence, until uint64) *contents {
	c := &contents{there: map[string]map[string]time.Time{}, taken: map[string]time.Time{}}
	for _, event := range e.ScopeEvents {
		if event.Seam == journal.SeamStore && event.Seq <= until {
			c.note(event)
		}
	}
	return c
}

// purged finds buckets that a driver deleted together with objects, without permission: the data is
// lost.
func purged(e *evidence.Evidence) []Finding {
	c := contents{there: map[string]map[string]time.Time{}, taken: map[string]time.Time{}}
	var found []Finding
	for _, event := range e.ScopeEvents {
		if event.Seam != journal.SeamStore {
			continue
		}
		if bucket := event.Operation.Subject; isDeletion(event) {
			if lost := c.before(bucket, event.Time); len(lost) > 0 && !e.Touched(bucket) && !mayPurge(e, bucket, event.Component) {
				found = append(found, Finding{
					Subject: "bucket " + bucket, Events: []uint64{event.Seq},
					Message: fmt.Sprintf("%s has deleted bucket %q with object %q in it, and %s of its class is not %s: its data is lost",
						event.Component, bucket, lost[0], fakedriver.ParameterNonEmptyDeletion, fakedriver.NonEmptyPurge),
				})
			}
		}
		c.note(event)
	}
	return found
}

func (c *contents) put(bucket, key string, e journal.Event) {
	if c.taken[bucket].After(e.Time) {
		return // a later request may have deleted it
	}
	if c.there[bucket] == nil {
		c.there[bucket] = map[string]time.Time{}
	}
	ended := e.Time.Add(e.Duration)
	c.there[bucket][key] = ended
	if ended.After(c.latest) {
		c.latest = ended
	}
}

// take records that a request may have deleted an object, whatever its response. Without a key, it
// may have deleted all objects.
func (c *contents) take(bucket, key string, e journal.Event) {
	if key == "" {
		delete(c.there, bucket)
	} else {
		delete(c.there[bucket], key)
	}
	if ended := e.Time.Add(e.Duration); ended.After(c.taken[bucket]) {
		c.taken[bucket] = ended
	}
}

// before returns the sorted keys of the objects in a bucket before a time.
func (c *contents) before(bucket string, limit time.Time) []string {
	var keys []string
	for key, at := range c.there[bucket] {
		if !at.After(limit) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// mayPurge reports whether the class of a bucket, or its driver, allows the deletion of a bucket
// that is not empty.
func mayPurge(e *evidence.Evidence, bucket, component string) bool {
	if slices.Contains(e.Purging, strings.TrimPrefix(component, vocabulary.Driver+".")) {
		return true
	}
	asked := func(parameters map[string]string) bool {
		return parameters[fakedriver.ParameterNonEmptyDeletion] == fakedriver.NonEmptyPurge
	}
	return slices.ContainsFunc(e.Calls, func(c evidence.Call) bool {
		return c.Is(evidence.CreateBucket) && c.ID == bucket && asked(c.Parameters)
	}) ||
		slices.ContainsFunc(e.Of(evidence.Buckets), func(v evidence.Version) bool {
			return v.Got != nil && v.Got.BucketID() == bucket && asked(v.Got.Spec.Parameters)
		})
}
