package suite

import (
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// isWriteFor reports whether an event is a successful write to a claim or its
// Bucket. Events, which are for people, are written beside and hold up nothing.
func isWriteFor(e journal.Event, claim *v1alpha2.BucketClaim) bool {
	if !e.Write() || e.Failed() {
		return false
	}
	kind, _, _ := strings.Cut(resource(e), "/")
	switch kind {
	case "bucketclaims":
		return e.Operation.Subject == claim.Namespace+"/"+claim.Name
	case "buckets":
		return e.Operation.Subject == bucketOf(claim)
	default:
		return false
	}
}

func bucketOf(claim *v1alpha2.BucketClaim) string { return v1alpha2.BucketNameForClaim(claim.UID) }

// verb and resource are the halves of the name of an operation at the api seam.
func verb(e journal.Event) string {
	verb, _, _ := strings.Cut(e.Operation.Name, " ")
	return verb
}

func resource(e journal.Event) string {
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	return resource
}

// chain returns the indexes of the writes that followed one another up to the last: each of them had
// ended when the next began. It leaves out the writes that ran concurrently. The writes must be in
// the order of their begin.
func chain(writes []journal.Event) []int {
	var indexes []int
	for next := len(writes) - 1; next >= 0; next = lastEnded(writes[:next], writes[next].Time) {
		indexes = slices.Insert(indexes, 0, next)
	}
	return indexes
}

// lastEnded returns the index of the write that ended last before an instant, or
// a negative number.
func lastEnded(writes []journal.Event, before time.Time) int {
	last, ended := -1, time.Time{}
	for i, e := range writes {
		if end := spanOf(e).end; !end.After(before) && end.After(ended) {
			last, ended = i, end
		}
	}
	return last
}
