package e2e_test

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// The parts of a claim with an access.
const (
	theClass       = "class"
	theAccessClass = "accessclass"
	theBucket      = "bucket"
	theClaim       = "claim"
	theAccess      = "access"
	theSecret      = "secret"
)

// pair is a claim and an access to its bucket.
type pair struct {
	*testCluster

	objects map[string]client.Object
	claim   *v1alpha2.BucketClaim
	access  *v1alpha2.BucketAccess
	// existing is set if the claim is of a Bucket that an administrator makes.
	existing *v1alpha2.Bucket
}

func (cl *testCluster) dynamicPair(policy v1alpha2.DeletionPolicy) *pair {
	p := &pair{testCluster: cl, claim: cl.claim("data"), access: cl.access("app", "data")}
	p.objects = map[string]client.Object{
		theClass: cl.bucketClass(withPolicy(policy)), theAccessClass: cl.accessClass(), theClaim: p.claim, theAccess: p.access,
	}
	return p
}

func (cl *testCluster) staticPair() *pair {
	existing := cl.existing()
	p := &pair{testCluster: cl, claim: cl.claim("data", ofExisting(existing)), access: cl.access("app", "data"), existing: existing}
	p.objects = map[string]client.Object{theAccessClass: cl.accessClass(), theBucket: existing, theClaim: p.claim, theAccess: p.access}
	return p
}

// bucketID is the backend's ID of the bucket.
func (p *pair) bucketID() string {
	if p.existing != nil {
		return p.existing.Spec.ExistingBucketID
	}
	return bucketID(p.claim)
}

// rise creates everything and waits until it is ready.
func (p *pair) rise() {
	p.Helper()
	p.begin()
	p.await()
}

// begin creates everything.
func (p *pair) begin() {
	p.Helper()
	for _, object := range p.objects {
		p.Make(object)
	}
}

// await waits until everything is ready, and knows the Bucket and the Secret from
// then on.
func (p *pair) await() {
	p.Helper()
	p.WaitReady(p.claim, p.access)
	bucket, secret := bucketOf(p.claim), secretOf(p.access, 0)
	p.WaitReady(bucket)
	p.Must(p.Refresh(secret))
	p.objects[theBucket], p.objects[theSecret] = bucket, secret
}

// tell logs the components' operations on the pair.
func (p *pair) tell(history []journal.Event) {
	p.Helper()
	about := []string{p.Namespace, string(p.claim.UID), string(p.access.UID)}
	for _, e := range history {
		if slices.ContainsFunc(about, func(name string) bool { return strings.Contains(e.Operation.Subject, name) }) {
			p.Log(e)
		}
	}
}
