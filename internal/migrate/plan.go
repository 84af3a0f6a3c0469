package migrate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

// DefaultSecretSuffix is the usual Options.SecretSuffix.
const DefaultSecretSuffix = "-v1alpha2"

// maxParameters is the limit of v1alpha2.
const maxParameters = 512

var (
	driverName = regexp.MustCompile(v1alpha2.DriverNamePattern) //nolint:gocritic // as in the schema of the API
	bucketID   = regexp.MustCompile(v1alpha2.IDPattern)
)

// Options configure a translation.
type Options struct {
	// SecretSuffix is added to the names of the Secrets, so that applications keep the old ones
	// until they use the new ones. If it is empty, the names stay, and the old Secrets must be
	// deleted first.
	SecretSuffix string
	// NativeDrivers are the names of drivers that will speak v1alpha2 themselves. All others will
	// run behind the bridge.
	NativeDrivers []string
}

// Validate returns an error for invalid options.
func (o Options) Validate() error {
	if problems := validation.IsDNS1123Subdomain("a" + o.SecretSuffix); len(problems) > 0 {
		return fmt.Errorf("%q cannot end the name of a Secret: %s", o.SecretSuffix, problems[0])
	}
	return nil
}

// Plan is an inventory in v1alpha2.
type Plan struct {
	// Objects are the objects of v1alpha2, in the order of creation.
	Objects []client.Object
	// Decisions are for a user, omissions first.
	Decisions []Decision
	// Accounts are the accounts that v1alpha1 has granted.
	Accounts []Account
}

// Account is the account of a BucketAccess of v1alpha1 in a backend. v1alpha2 grants a new one. The
// old one remains until a user revokes it.
type Account struct {
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	DriverName string `json:"driverName,omitempty"`
	// BucketID and AccountID are the arguments for the driver's DriverRevokeBucketAccess.
	BucketID  string `json:"bucketID,omitempty"`
	AccountID string `json:"accountID"`
	// OldSecret has the account's credentials, and NewSecret will have the credentials of v1alpha2.
	OldSecret string `json:"oldSecret"`
	NewSecret string `json:"newSecret,omitempty"`
}

// Omissions is the number of objects that the plan omits.
func (p *Plan) Omissions() int {
	omitted := map[Reference]bool{}
	for _, decision := range p.Decisions {
		if decision.Outcome == Omitted {
			omitted[decision.Object] = true
		}
	}
	return len(omitted)
}

type planner struct {
	*Inventory

	options Options
	plan    *Plan
	// bridged has, for each driver that needs the bridge, the protocols that it must serve.
	bridged map[string]map[v1alpha2.Protocol]bool
	planned map[Reference]bool
	// bucketProtocols are the protocols of the planned Buckets. A Bucket without any has its
	// driver's.
	bucketProtocols map[string][]v1alpha2.Protocol
	// newBuckets represent Buckets that do not exist yet, by claim.
	newBuckets map[client.ObjectKey]*v1alpha1.Bucket
	secrets    map[client.ObjectKey]string
}

// Plan translates the inventory. Options must be valid.
func (i *Inventory) Plan(options Options) *Plan {
	p := &planner{
		Inventory: i, options: options, plan: &Plan{}, planned: map[Reference]bool{},
		bridged: map[string]map[v1alpha2.Protocol]bool{}, bucketProtocols: map[string][]v1alpha2.Protocol{},
		newBuckets: map[client.ObjectKey]*v1alpha1.Bucket{}, secrets: map[client.ObjectKey]string{},
	}
	for _, name := range slices.Sorted(maps.Keys(i.bucketClasses)) {
		p.bucketClass(i.bucketClasses[name])
	}
	for _, name := range slices.Sorted(maps.Keys(i.accessClasses)) {
		p.accessClass(i.accessClasses[name])
	}
	holders := p.holders()
	for _, name := range slices.Sorted(maps.Keys(i.buckets)) {
		p.bucket(i.buckets[name], holders[name])
	}
	for _, key := range sortedByKey(i.claims) {
		p.claim(i.claims[key], holders)
	}
	p.nameSecrets()
	for _, key := range sortedByKey(i.accesses) {
		p.access(i.accesses[key])
	}
	p.reportShared()
	p.reportBridge()
	p.dropMoot()
	slices.SortFunc(p.plan.Decisions, compareDecisions)
	return p.plan
}

// dropMoot removes decisions about the translation of an omitted object.
func (p *planner) dropMoot() {
	omitted := map[Reference]bool{}
	for _, decision := range p.plan.Decisions {
		if decision.Outcome == Omitted {
			omitted[decision.Object] = true
		}
	}
	p.plan.Decisions = slices.DeleteFunc(p.plan.Decisions, func(decision Decision) bool {
		return decision.Outcome != Omitted && omitted[decision.Object]
	})
}

// start begins the translation of an object with the common part of all kinds.
func (p *planner) start(kind string, object client.Object) *decisions {
	d := &decisions{plan: p.plan, object: Reference{kind, object.GetNamespace(), object.GetName()}}
	if object.GetDeletionTimestamp() != nil {
		d.omit(BeingDeleted, "it is being deleted: let v1alpha1 end the deletion, or remove its finalizers, and run migrate again")
	}
	if len(object.GetOwnerReferences()) > 0 {
		d.change(OwnersRemoved, "its ownerReferences are not copied, so that it is no longer deleted together with %s",
			owners(object.GetOwnerReferences()))
	}
	return d
}

func owners(references []metav1.OwnerReference) string {
	names := make([]string, len(references))
	for i, reference := range references {
		names[i] = reference.Kind + " " + reference.Name
	}
	return strings.Join(names, ", ")
}

func (p *planner) finish(d *decisions, object client.Object) {
	if d.omitted {
		return
	}
	p.planned[d.object] = true
	p.plan.Objects = append(p.plan.Objects, object)
}

// metaOf copies users' entries in an object's metadata.
func metaOf(object client.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: object.GetNamespace(), Name: object.GetName(),
		Labels: withoutCOSI(object.GetLabels()), Annotations: withoutCOSI(object.GetAnnotations()),
	}
}

// withoutCOSI drops entries by COSI and kubectl, which concern the old object.
func withoutCOSI(values map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range values {
		prefix, _, _ := strings.Cut(key, "/")
		if prefix == v1alpha1.GroupName || strings.HasSuffix(prefix, "."+v1alpha1.GroupName) || prefix == "kubectl.kubernetes.io" {
			continue
		}
		kept[key] = value
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: v1alpha2.SchemeGroupVersion.String(), Kind: kind}
}

func (d *decisions) parameters(parameters map[string]string) map[string]string {
	if len(parameters) > maxParameters {
		d.omit(ValueInvalid, "it has %d parameters, and v1alpha2 allows %d", len(parameters), maxParameters)
	}
	if len(parameters) == 0 {
		return nil
	}
	return maps.Clone(parameters)
}

// reference checks the name of another object.
func (d *decisions) reference(field, name string) (valid bool) {
	valid = len(validation.IsDNS1123Subdomain(name)) == 0
	if !valid {
		d.omit(NameInvalid, "%s is %q, and v1alpha2 requires lower-case letters, digits, '-' and '.', at most 253 characters", field, name)
	}
	return valid
}

func (p *planner) bucketClass(class *v1alpha1.BucketClass) {
	d := p.start(kindBucketClass, class)
	d.checkDriverName(class.DriverName)
	if !class.DeletionPolicy.IsKnown() && class.DeletionPolicy != "" {
		d.change(PolicyUnknown, "deletionPolicy %q becomes Retain: COSI v0.2 retains buckets with any policy but Delete", class.DeletionPolicy)
	}
	p.finish(d, &v1alpha2.BucketClass{
		TypeMeta: typeMeta(kindBucketClass), ObjectMeta: metaOf(class),
		Spec: v1alpha2.BucketClassSpec{
			DriverName: class.DriverName, DeletionPolicy: policyOf(class.DeletionPolicy), Parameters: d.parameters(class.Parameters),
		},
	})
}

// policyOf translates a policy. Every value except Delete retains the bucket.
func policyOf(policy v1alpha1.DeletionPolicy) v1alpha2.DeletionPolicy {
	if policy == v1alpha1.DeletionPolicyDelete {
		return v1alpha2.DeletionPolicyDelete
	}
	return v1alpha2.DeletionPolicyRetain
}

func (p *planner) accessClass(class *v1alpha1.BucketAccessClass) {
	d := p.start(kindBucketAccessClass, class)
	d.checkDriverName(class.DriverName)
	spec := v1alpha2.BucketAccessClassSpec{
		DriverName: class.DriverName, Parameters: d.parameters(class.Parameters),
		MultiBucketAccess: v1alpha2.MultiBucketAccessSingleBucket, // v1alpha1 has no other
	}
	spec.AuthenticationType = hub.AuthenticationType(class.AuthenticationType)
	if !class.AuthenticationType.IsKnown() {
		spec.AuthenticationType = v1alpha2.AuthenticationTypeKey
		d.change(AuthenticationUnknown, "authenticationType %q becomes Key: COSI v0.2 takes it for neither Key nor IAM, "+
			"and drivers return keys then", class.AuthenticationType)
	}
	p.finish(d, &v1alpha2.BucketAccessClass{TypeMeta: typeMeta(kindBucketAccessClass), ObjectMeta: metaOf(class), Spec: spec})
}
