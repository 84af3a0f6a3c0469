package cause

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// OfAccess returns the causes for which a BucketAccess is not ready: of itself, its claims and their Buckets. It is
// empty for an access that is ready.
func OfAccess(all *hub.Lists, access *v1alpha2.BucketAccess) List {
	found := search{all: all}
	found.access(access)
	return found.decisive()
}

// OfClaim returns the causes for which a BucketClaim is not ready: of itself and its Bucket.
func OfClaim(all *hub.Lists, claim *v1alpha2.BucketClaim) List {
	found := search{all: all}
	found.claim(claim)
	return found.decisive()
}

// OfBucket returns the causes for which a Bucket is not ready.
func OfBucket(all *hub.Lists, bucket *v1alpha2.Bucket) List {
	found := search{all: all}
	found.bucket(bucket)
	return found.decisive()
}

// OfSecret returns the causes for which an access Secret does not exist: of the accesses that name it.
func OfSecret(all *hub.Lists, key types.NamespacedName) List {
	found := search{all: all}
	for i := range all.Accesses {
		access := &all.Accesses[i]
		for _, wanted := range access.Spec.BucketClaims {
			if access.Namespace == key.Namespace && wanted.AccessSecretName == key.Name {
				found.access(access)
			}
		}
	}
	return found.decisive()
}

// search collects causes.
type search struct {
	List
	all *hub.Lists
}

func (s *search) access(access *v1alpha2.BucketAccess) {
	if access.Status.ReadyToUse {
		return
	}
	object := fmt.Sprintf("BucketAccess %q", access.Name)
	for _, wanted := range access.Spec.BucketClaims {
		if claim := s.all.Claim(access.Namespace, wanted.BucketClaimName); claim != nil {
			s.claim(claim)
		} else {
			s.miss(object, "BucketClaim", wanted.BucketClaimName, s.all.ClaimNames(access.Namespace))
		}
	}
	class := access.Spec.BucketAccessClassName
	if access.Status.AccountID == "" && class != "" && !hub.Has(s.all.AccessClasses, class) {
		s.miss(object, "BucketAccessClass", class, hub.Names(s.all.AccessClasses))
	}
	s.conditions(object, access.Generation, access.Status.Conditions)
}

func (s *search) claim(claim *v1alpha2.BucketClaim) {
	if claim.Status.ReadyToUse {
		return
	}
	object := fmt.Sprintf("BucketClaim %q", claim.Name)
	bound := claim.Status.BoundBucketName
	if class := claim.Spec.BucketClassName; bound == "" && class != "" && !hub.Has(s.all.BucketClasses, class) {
		s.miss(object, "BucketClass", class, hub.Names(s.all.BucketClasses))
	}
	if existing := claim.Spec.ExistingBucketName; bound == "" && existing != "" && !hub.Has(s.all.Buckets, existing) {
		s.miss(object, "Bucket", existing, hub.Names(s.all.Buckets))
	}
	s.conditions(object, claim.Generation, claim.Status.Conditions)
	for i := range s.all.Buckets {
		if bucket := &s.all.Buckets[i]; bucket.Name == bound {
			s.bucket(bucket)
		}
	}
}

func (s *search) bucket(bucket *v1alpha2.Bucket) {
	if bucket.Status.ReadyToUse {
		return
	}
	object := fmt.Sprintf("Bucket %q", bucket.Name)
	isKnown := func(c metav1.Condition) bool { return c.Reason != v1alpha2.ReasonPending }
	if len(bucket.Finalizers) == 0 && !slices.ContainsFunc(bucket.Status.Conditions, isKnown) {
		const message = "no sidecar of driver %q has acted on it yet: 'cosi-emu status --drivers' lists the sidecars"
		s.add(Cause{Object: object, Message: fmt.Sprintf(message, bucket.Spec.DriverName), Kind: Waiting})
	}
	s.conditions(object, bucket.Generation, bucket.Status.Conditions)
}

// miss adds that an object names another one that does not exist.
func (s *search) miss(object, kind, name string, known []string) {
	advice := "create it, or correct its name"
	if near, ok := suggest.Near(name, known); ok {
		advice = fmt.Sprintf("did you mean %q?", near)
	}
	s.add(Cause{Object: object, Message: fmt.Sprintf("%s %q not found: %s", kind, name, advice), Kind: Missing})
}

// conditions adds the messages of conditions that are not as they should be, each once.
func (s *search) conditions(object string, generation int64, conditions []metav1.Condition) {
	for i := range conditions {
		condition := &conditions[i]
		isFailure := condition.Type == v1alpha2.ConditionProvisionFailed
		good := condition.Status == metav1.ConditionTrue && !isFailure || condition.Status == metav1.ConditionFalse && isFailure
		if good || condition.Reason == v1alpha2.ReasonPending || condition.Message == "" {
			continue
		}
		kind := Waiting
		isUnprovisioned := condition.Type == v1alpha2.ConditionProvisioned && condition.Status == metav1.ConditionFalse
		if isUnprovisioned && condition.ObservedGeneration == generation {
			kind = Final // COSI retries everything else
		}
		s.add(Cause{Object: object, Message: condition.Message, Kind: kind})
	}
}

// add adds a cause, unless another object repeats its message: a claim quotes its Bucket.
func (s *search) add(c Cause) {
	for i := range s.List {
		known := &s.List[i]
		repeats := known.Message == c.Message && known.Object == c.Object
		if repeats || strings.HasSuffix(known.Message, c.Object+": "+c.Message) {
			*known = Cause{Object: c.Object, Message: c.Message, Kind: max(known.Kind, c.Kind)}
			return
		}
	}
	s.List = append(s.List, c)
}
