package scale

import (
	"fmt"
	"slices"
)

// step is a write that the KEP's flow cannot do without, because a later step
// must not begin before it is durable, or because another component makes it.
type step struct {
	// operation is the write, as a requestCounter names it.
	operation string
	// kep is the place where KEP-1979 requires it: the flow, and the number of the step.
	kep string
	// what describes the write.
	what string
}

const (
	creating = "Creating a Bucket"
	granting = "Generating Bucket Access Credentials"
)

// claimFlow is what one BucketClaim needs, with the Bucket behind it. Status and
// metadata of an object are two writes, since status is a subresource.
var claimFlow = []step{
	{"patch bucketclaims", creating + " 2.1", "finalizer on the BucketClaim"},
	{"create buckets", creating + " 2.6", "the Bucket, bound to the BucketClaim"},
	{"patch bucketclaims/status", creating + " 2.7", "name of the bound Bucket"},
	{"patch buckets", creating + " 3.2", "finalizer on the Bucket, before anything outside exists"},
	{"patch buckets/status", creating + " 3.4", "bucket ID, before the bucket exists"},
	{"patch buckets/status", creating + " 4", "the Bucket is ready"},
	{"patch bucketclaims/status", creating + " 5.3", "protocols; the BucketClaim is ready"},
}

// accessFlow is what one BucketAccess to one BucketClaim needs. Its Secret is
// counted once: finalizer and data could be in its creation.
var accessFlow = []step{
	{"patch bucketaccesses", granting + " 3.4", "finalizer on the BucketAccess"},
	{"patch bucketclaims", granting + " 3.5", "annotation on the BucketClaim that it has an access"},
	{"patch bucketaccesses/status", granting + " 3.8", "Buckets, and what the class says: the hand-off to the sidecar"},
	{"patch bucketaccesses/status", granting + " 4.7", "account ID, before the account exists"},
	{"create secrets", granting + " 4.10.1 and 2", "the Secret, with finalizer and data"},
	{"patch bucketaccesses/status", granting + " 4.10.3", "the BucketAccess is ready"},
}

// pairFlow has the writes that a pair needs.
var pairFlow = slices.Concat(claimFlow, accessFlow)

// callsPerPair is how often the driver has to be called for a pair: an ID and a
// creation for the bucket (3.3 and 3.5), an ID and a grant for the account (4.6
// and 4.8).
const callsPerPair = 4

// explain lists a flow for people.
func explain(flow []step) []string {
	lines := make([]string, len(flow))
	for i, s := range flow {
		lines[i] = fmt.Sprintf("minimum %2d: %-27s  %s (KEP, %s)", i+1, s.operation, s.what, s.kep)
	}
	return lines
}

// needs counts a flow by operation.
func needs(flow []step) map[string]int {
	counts := map[string]int{}
	for _, s := range flow {
		counts[s.operation]++
	}
	return counts
}
