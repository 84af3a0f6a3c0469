package migrate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// readWrite are the modes of all accesses of v1alpha1, which has no others.
func readWrite() v1alpha2.BucketAccessModes {
	return v1alpha2.BucketAccessModes{
		ObjectData: v1alpha2.BucketAccessModeReadWrite, ObjectMetadata: v1alpha2.BucketAccessModeReadWrite,
		BucketMetadata: v1alpha2.BucketAccessModeReadWrite,
	}
}

// nameSecrets chooses the names of the new Secrets. Under v1alpha2, no two accesses may have the
// same one.
func (p *planner) nameSecrets() {
	taken := map[client.ObjectKey]bool{}
	if p.options.SecretSuffix != "" {
		for _, access := range p.accesses {
			taken[client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.CredentialsSecretName}] = true
		}
	}
	for _, key := range sortedByKey(p.accesses) {
		old := p.accesses[key].Spec.CredentialsSecretName
		for _, name := range []string{old, old + "-" + key.Name} {
			secret := client.ObjectKey{Namespace: key.Namespace, Name: name + p.options.SecretSuffix}
			if !taken[secret] && len(validation.IsDNS1123Subdomain(secret.Name)) == 0 {
				taken[secret], p.secrets[key] = true, secret.Name
				break
			}
		}
	}
}

func (p *planner) access(access *v1alpha1.BucketAccess) {
	d := p.start(kindBucketAccess, access)
	d.reference("spec.bucketClaimName", access.Spec.BucketClaimName)
	d.reference("spec.bucketAccessClassName", access.Spec.BucketAccessClassName)
	if access.Spec.ServiceAccountName != "" {
		d.reference("spec.serviceAccountName", access.Spec.ServiceAccountName)
	}
	bucket := p.accessedBucket(d, access)
	p.checkClass(d, access, bucket)
	secret := p.secret(d, access)
	protocol := p.accessProtocol(d, access, bucket)
	p.listAccount(d, access, bucket)
	if !access.Status.AccessGranted && access.UID != "" {
		d.check(AccessNotGranted, "status.accessGranted is not true: v1alpha1 has not granted it, and v1alpha2 will")
	}
	p.finish(d, &v1alpha2.BucketAccess{
		TypeMeta: typeMeta(kindBucketAccess), ObjectMeta: metaOf(access),
		Spec: v1alpha2.BucketAccessSpec{
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: access.Spec.BucketClaimName, AccessModes: readWrite(), AccessSecretName: secret,
			}},
			BucketAccessClassName: access.Spec.BucketAccessClassName, Protocol: protocol,
			ServiceAccountName: access.Spec.ServiceAccountName,
		},
	})
}

// accessedBucket returns the Bucket of an access, or nil.
func (p *planner) accessedBucket(d *decisions, access *v1alpha1.BucketAccess) *v1alpha1.Bucket {
	key := client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.BucketClaimName}
	claim, found := p.claims[key]
	switch {
	case !found:
		d.omit(ClaimNotFound, "its BucketClaim %s is not in the input", key.Name)
		return nil
	case !p.planned[Reference{kindBucketClaim, key.Namespace, key.Name}]:
		d.omit(DependsOnOmitted, "its BucketClaim %s is omitted", key.Name)
	}
	if bucket := p.newBuckets[key]; bucket != nil {
		return bucket
	}
	return p.buckets[bucketOf(claim)]
}

func (p *planner) checkClass(d *decisions, access *v1alpha1.BucketAccess, bucket *v1alpha1.Bucket) {
	name := access.Spec.BucketAccessClassName
	class, found := p.accessClasses[name]
	switch {
	case d.omitted:
		return
	case !found:
		d.check(ClassNotFound, "its BucketAccessClass %s is not in the input: it must exist before the access is granted", name)
		return
	case !p.planned[Reference{Kind: kindBucketAccessClass, Name: name}]:
		d.omit(DependsOnOmitted, "its BucketAccessClass %s is omitted", name)
		return
	}
	if class.AuthenticationType == v1alpha1.AuthenticationTypeIAM && access.Spec.ServiceAccountName == "" {
		d.omit(ServiceAccountRequired, "BucketAccessClass %s has authentication type ServiceAccount, which requires spec.serviceAccountName: "+
			"set it in the input, and run migrate again", name)
	}
	if bucket != nil && class.DriverName != bucket.Spec.DriverName {
		d.check(DriverMismatch, "BucketAccessClass %s is of driver %s, and Bucket %s of %s: v1alpha2 rejects such an access",
			name, class.DriverName, bucket.Name, bucket.Spec.DriverName)
	}
}

func (p *planner) secret(d *decisions, access *v1alpha1.BucketAccess) string {
	old := access.Spec.CredentialsSecretName
	name, named := p.secrets[client.ObjectKeyFromObject(access)]
	switch {
	case !named:
		d.omit(SecretNameTaken, "no name is left for its Secret: %q with --secret-suffix %q is used already, or is not a valid name",
			old, p.options.SecretSuffix)
	case name == old:
		d.change(SecretChanges, "Secret %s keeps its name: delete it first, since v1alpha2 does not overwrite it. "+
			"The key BucketInfo is replaced by keys such as %s and %s", old, v1alpha2.SecretKeyBucketName, v1alpha2.SecretKeyS3Endpoint)
	default:
		d.change(SecretChanges, "the application must use Secret %s in place of %s. The key BucketInfo is replaced by keys such as %s and %s",
			name, old, v1alpha2.SecretKeyBucketName, v1alpha2.SecretKeyS3Endpoint)
	}
	return name
}

// accessProtocol returns the protocol, which v1alpha2 requires.
func (p *planner) accessProtocol(d *decisions, access *v1alpha1.BucketAccess, bucket *v1alpha1.Bucket) v1alpha2.Protocol {
	if d.omitted {
		return ""
	}
	given := access.Spec.Protocol
	if given == "" {
		had := p.bucketProtocols[bucket.Name]
		if len(had) != 1 {
			d.omit(ProtocolMissing, "it has no protocol, which v1alpha2 requires, and its Bucket has %d: set spec.protocol in the input, "+
				"and run migrate again", len(had))
			return ""
		}
		given = v1alpha1.Protocol(had[0]) // also known by that name
		d.check(ProtocolMissing, "it has no protocol, which v1alpha2 requires: it gets its Bucket's, %s", given)
	}
	protocol, known := protocolOf(given)
	driver := bucket.Spec.DriverName
	switch {
	case !known:
		d.omit(ProtocolUnknown, "protocol %q is not known: v1alpha2 has S3, Azure and GCS", given)
	case p.isBridged(driver) && protocol == v1alpha2.ProtocolGCS:
		d.omit(ProtocolUnsupported, "the bridge serves S3 and Azure, and not GCS")
	case p.isBridged(driver):
		p.requireBridge(driver, protocol)
		fallthrough
	default:
		p.checkProtocols(d, bucket, []v1alpha2.Protocol{protocol})
	}
	return protocol
}

// listAccount adds the account that v1alpha1 has granted, also of an omitted access.
func (p *planner) listAccount(d *decisions, access *v1alpha1.BucketAccess, bucket *v1alpha1.Bucket) {
	if access.Status.AccountID == "" {
		return
	}
	account := Account{
		Namespace: access.Namespace, Name: access.Name, AccountID: access.Status.AccountID, OldSecret: access.Spec.CredentialsSecretName,
	}
	if bucket != nil {
		account.DriverName, account.BucketID = bucket.Spec.DriverName, driverID(bucket)
	}
	if !d.omitted {
		account.NewSecret = p.secrets[client.ObjectKeyFromObject(access)]
	}
	p.plan.Accounts = append(p.plan.Accounts, account)
}

// reportShared warns of shared buckets in a backend and shared Secrets in a namespace.
func (p *planner) reportShared() {
	secrets, accounts, buckets := map[[2]string][]Reference{}, map[[2]string][]Reference{}, map[[2]string][]Reference{}
	for _, name := range slices.Sorted(maps.Keys(p.buckets)) {
		if bucket := p.buckets[name]; driverID(bucket) != "" {
			key := [2]string{bucket.Spec.DriverName, driverID(bucket)}
			buckets[key] = append(buckets[key], Reference{Kind: kindBucket, Name: name})
		}
	}
	for _, key := range sortedByKey(p.accesses) {
		secret := [2]string{key.Namespace, p.accesses[key].Spec.CredentialsSecretName}
		secrets[secret] = append(secrets[secret], Reference{kindBucketAccess, key.Namespace, key.Name})
	}
	for _, account := range p.plan.Accounts {
		key := [2]string{account.DriverName, account.AccountID}
		accounts[key] = append(accounts[key], Reference{kindBucketAccess, account.Namespace, account.Name})
	}
	p.eachShared(buckets, BucketIDShared, func(id string) string { return "the bucket with the ID \"" + id + "\" in the backend" })
	p.eachShared(secrets, SecretShared, func(name string) string { return "Secret " + name + ", and each gets its own" })
	p.eachShared(accounts, AccountShared, func(id string) string {
		return "the account " + id + ", and revoking it for one takes it from all"
	})
}

func (p *planner) eachShared(groups map[[2]string][]Reference, code Code, describe func(string) string) {
	for key, group := range groups {
		for i, object := range group {
			if len(group) < 2 || !p.planned[object] {
				continue
			}
			var others []string
			for j, other := range group {
				if j != i {
					others = append(others, other.String())
				}
			}
			d := &decisions{plan: p.plan, object: object}
			d.check(code, "it shares with %s: %s", strings.Join(others, ", "), describe(key[1]))
		}
	}
}
