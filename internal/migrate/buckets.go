package migrate

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/bridge"
)

// holders returns the BucketClaims of each Bucket. The first is the one that will be bound: the one
// that the Bucket names, unless only others use it. A retained Bucket may name a BucketClaim that
// was deleted, and created again with another Bucket.
func (p *planner) holders() map[string][]client.ObjectKey {
	holders := map[string][]client.ObjectKey{}
	for _, key := range sortedByKey(p.claims) {
		if name := bucketOf(p.claims[key]); name != "" {
			holders[name] = append(holders[name], key)
		}
	}
	for name, bucket := range p.buckets {
		reference := bucket.Spec.BucketClaim
		if reference == nil || reference.Name == "" {
			continue
		}
		named := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
		switch i := slices.Index(holders[name], named); {
		case i > 0:
			holders[name] = slices.Insert(slices.Delete(holders[name], i, i+1), 0, named)
		case i < 0:
			holders[name] = append(holders[name], named)
		}
	}
	return holders
}

// bucketOf returns the name of a claim's Bucket, or "".
func bucketOf(claim *v1alpha1.BucketClaim) string {
	return cmp.Or(claim.Status.BucketName, claim.Spec.ExistingBucketName)
}

func (p *planner) bucket(bucket *v1alpha1.Bucket, holders []client.ObjectKey) {
	d := p.start(kindBucket, bucket)
	d.checkDriverName(bucket.Spec.DriverName)
	if policyOf(bucket.Spec.DeletionPolicy) != v1alpha2.DeletionPolicyRetain {
		d.change(PolicyBecomesRetain, "deletionPolicy %q becomes Retain, since v1alpha2 does not delete existing buckets. "+
			"Set Retain in v1alpha1, too, before you delete anything there", bucket.Spec.DeletionPolicy)
	}
	spec := v1alpha2.BucketSpec{
		DriverName: bucket.Spec.DriverName, DeletionPolicy: v1alpha2.DeletionPolicyRetain,
		Parameters: d.parameters(bucket.Spec.Parameters), ExistingBucketID: p.bucketID(d, bucket),
	}
	if len(holders) == 0 {
		d.omit(ClaimNotBound, "no BucketClaim uses it, and v1alpha2 requires spec.bucketClaimRef: set spec.bucketClaim in the input, "+
			"and run migrate again")
	} else {
		spec.BucketClaimRef = p.claimRef(d, holders[0])
	}
	if d.omitted {
		return // or the bridge would be required for it
	}
	spec.Protocols = p.protocols(d, bucket.Spec.DriverName, bucket.Spec.Protocols)
	p.bucketProtocols[bucket.Name] = spec.Protocols
	p.finish(d, &v1alpha2.Bucket{TypeMeta: typeMeta(kindBucket), ObjectMeta: metaOf(bucket), Spec: spec})
}

func (p *planner) claimRef(d *decisions, holder client.ObjectKey) v1alpha2.BucketClaimReference {
	validNamespace, validName := d.reference("spec.bucketClaim.namespace", holder.Namespace), d.reference("spec.bucketClaim.name", holder.Name)
	claim, found := p.claims[holder]
	switch {
	case !validNamespace || !validName:
	case !found:
		d.check(ClaimNotFound, "BucketClaim %s, which it is for, is not in the input: only a BucketClaim of that name can use it", holder)
	case bucketOf(claim) != d.object.Name:
		d.check(ClaimNotBound, "BucketClaim %s, which it is for, does not use it: to use its bucket, set spec.bucketClaim in the input "+
			"to another BucketClaim", holder)
	}
	return v1alpha2.BucketClaimReference{Namespace: holder.Namespace, Name: holder.Name}
}

// driverID returns the driver's ID of a bucket, or "".
func driverID(bucket *v1alpha1.Bucket) string {
	return cmp.Or(bucket.Status.BucketID, bucket.Spec.ExistingBucketID)
}

func (p *planner) bucketID(d *decisions, bucket *v1alpha1.Bucket) string {
	id := driverID(bucket)
	if id == "" {
		d.omit(BucketIDMissing, "it has no status.bucketID: COSI has not created its bucket, or the driver's answer was lost. "+
			"Wait until v1alpha1 has created it, or delete its BucketClaim")
		return ""
	}
	if !bucket.Status.BucketReady {
		d.check(BucketNotReady, "status.bucketReady is not true: check that bucket %q is in the backend", id)
	}
	// Under v1alpha1, applications get the name of the Bucket, by which COSI has requested the
	// bucket. The bucket of a static Bucket has its own name.
	name := bucket.Name
	if bucket.Spec.ExistingBucketID != "" {
		name = id
		d.check(StaticBucket, "it is static: applications got %q as the name of the bucket, and get %q from now on", bucket.Name, id)
	}
	if !p.isBridged(bucket.Spec.DriverName) {
		if !bucketID.MatchString(id) || len(id) > v1alpha2.IDMaxLength {
			d.omit(BucketIDInvalid, "v1alpha2 does not allow the ID %q: ask the driver's author which ID its v1alpha2 version has for this bucket, "+
				"or run the driver behind the bridge", id)
		}
		return id
	}
	return d.encode(id, name)
}

func (d *decisions) encode(id, name string) string {
	encoded := bridge.EncodeExisting(id, name)
	switch {
	case len(encoded) > v1alpha2.IDMaxLength:
		d.omit(BucketIDInvalid, "the ID of %d bytes is too long: in the bridge's encoding it has %d, and v1alpha2 allows %d",
			len(id), len(encoded), v1alpha2.IDMaxLength)
	case encoded != id:
		d.change(BucketIDEncoded, "the driver's ID %q is encoded for the bridge, with the name %q for applications: "+
			"only the bridge can use this Bucket", id, name)
	}
	return encoded
}

func (p *planner) claim(claim *v1alpha1.BucketClaim, holders map[string][]client.ObjectKey) {
	d := p.start(kindBucketClaim, claim)
	name, key := bucketOf(claim), client.ObjectKeyFromObject(claim)
	if name == "" && claim.UID == "" {
		p.newClaim(d, claim)
		return
	}
	if name == "" {
		d.omit(ClaimNotBound, "it is not bound to a Bucket: wait until v1alpha1 has bound it, or create it again under v1alpha2, "+
			"with a new bucket")
		return
	}
	bucket, found := p.buckets[name]
	switch {
	case !d.reference("the name of its Bucket", name):
	case !found:
		d.omit(BucketNotFound, "its Bucket %s is not in the input", name)
	case holders[name][0] != key:
		d.omit(ClaimNotBound, "its Bucket %s is for BucketClaim %s, and a Bucket of v1alpha2 has one BucketClaim: "+
			"add a Bucket of another name with the same existingBucketID for it", name, holders[name][0])
	case !p.planned[Reference{Kind: kindBucket, Name: name}]:
		d.omit(DependsOnOmitted, "its Bucket %s is omitted", name)
	}
	if d.omitted {
		return
	}
	if !claim.Status.BucketReady {
		d.check(BucketNotReady, "status.bucketReady is not true")
	}
	spec := v1alpha2.BucketClaimSpec{ExistingBucketName: name, Protocols: p.protocols(d, bucket.Spec.DriverName, claim.Spec.Protocols)}
	p.checkProtocols(d, bucket, spec.Protocols)
	p.finish(d, &v1alpha2.BucketClaim{TypeMeta: typeMeta(kindBucketClaim), ObjectMeta: metaOf(claim), Spec: spec})
}

// newClaim translates a claim from a manifest, without a status that names its Bucket.
func (p *planner) newClaim(d *decisions, claim *v1alpha1.BucketClaim) {
	name, key := claim.Spec.BucketClassName, client.ObjectKeyFromObject(claim)
	class, found := p.bucketClasses[name]
	switch {
	case !d.reference("spec.bucketClassName", name):
	case !found:
		d.omit(ClassNotFound, "its BucketClass %s, which names the driver, is not in the input", name)
	case !p.planned[Reference{Kind: kindBucketClass, Name: name}]:
		d.omit(DependsOnOmitted, "its BucketClass %s is omitted", name)
	}
	if d.omitted {
		return
	}
	bucket := &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: "of BucketClaim " + key.String()},
		Spec:       v1alpha1.BucketSpec{DriverName: class.DriverName},
	}
	d.check(BucketIsNew, "the input is a manifest, which does not name its bucket: v1alpha2 creates a new and empty one. To take over "+
		"the bucket of a cluster, translate the objects of that cluster, with --context or what kubectl get -o yaml prints")
	spec := v1alpha2.BucketClaimSpec{BucketClassName: name, Protocols: p.protocols(d, class.DriverName, claim.Spec.Protocols)}
	p.newBuckets[key], p.bucketProtocols[bucket.Name] = bucket, spec.Protocols
	p.finish(d, &v1alpha2.BucketClaim{TypeMeta: typeMeta(kindBucketClaim), ObjectMeta: metaOf(claim), Spec: spec})
}

func (p *planner) checkProtocols(d *decisions, bucket *v1alpha1.Bucket, wanted []v1alpha2.Protocol) {
	had := p.bucketProtocols[bucket.Name]
	var missing []string
	for _, protocol := range wanted {
		if len(had) > 0 && !slices.Contains(had, protocol) {
			missing = append(missing, string(protocol))
		}
	}
	if len(missing) > 0 {
		d.check(ProtocolUnsupported, "its Bucket %s does not list protocol %s, which v1alpha2 requires: add it to the Bucket if the driver "+
			"supports it, or remove it here", bucket.Name, strings.Join(missing, ", "))
	}
}
