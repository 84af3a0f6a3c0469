package claimprotection

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
)

// Protector sets the annotation and removes it. One Protector serves all reconcilers of a
// controller and may be used concurrently.
type Protector struct {
	client client.Client
	live   client.Reader
	fresh  cacheFreshness
	turns  *turns
}

// New returns a Protector. The client reads from a cache with the indexes of package index, the
// other reader from the API server.
func New(cached client.Client, live client.Reader) *Protector {
	return &Protector{client: cached, live: live, fresh: cacheFreshness{lru.New(maxNamespaces)}, turns: newTurns()}
}

// IsProtected reports whether the claim has the annotation.
func IsProtected(claim *v1alpha2.BucketClaim) bool {
	return metav1.HasAnnotation(claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation)
}

// RemoveAnnotation removes the annotation from a claim in memory.
func RemoveAnnotation(claim *v1alpha2.BucketClaim) {
	delete(claim.Annotations, v1alpha2.HasBucketAccessReferencesAnnotation)
}

// ProtectLive sets the annotation and updates the claim from the API server, so that the caller
// sees a deletion that the cache may not show yet.
func (p *Protector) ProtectLive(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	if IsProtected(claim) { // without a write, no answer shows it
		if err := p.refresh(ctx, claim); err != nil {
			return err
		}
	}
	return p.Protect(ctx, claim)
}

// Protect sets a missing annotation, and updates the claim's metadata from the API server's answer.
// If another claim has the name now, the error is a conflict.
func (p *Protector) Protect(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	if IsProtected(claim) {
		return nil
	}
	if err := p.annotate(ctx, claim); err != nil {
		return fmt.Errorf("annotate BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return nil
}

func (p *Protector) refresh(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	key, current := client.ObjectKeyFromObject(claim), &v1alpha2.BucketClaim{}
	if err := p.live.Get(ctx, key, current); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	if current.UID != claim.UID {
		return replaced(claim)
	}
	current.DeepCopyInto(claim)
	return nil
}

// Unprotect removes the annotation from a claim that no BucketAccess needs.
func (p *Protector) Unprotect(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	if !IsProtected(claim) {
		return nil
	}
	if needed, err := p.IsNeeded(ctx, claim); err != nil || needed {
		return err
	}
	if err := p.removeAnnotation(ctx, claim); err != nil {
		return fmt.Errorf("remove annotation from BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return nil
}

// AccessesOf returns the names of the BucketAccesses that need the claim, sorted.
func (p *Protector) AccessesOf(ctx context.Context, claim *v1alpha2.BucketClaim) ([]string, error) {
	accesses, err := p.cached(ctx, claim, index.AccessesNeedingClaim)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(accesses))
	for i := range accesses {
		names = append(names, accesses[i].Name)
	}
	slices.Sort(names)
	return names, nil
}

// IsNeeded reports whether a BucketAccess needs the claim. The cache nearly always finds one. An
// outdated cache cannot prove that none exists: credentials would outlive the protection of their
// claim. Then the API server is asked.
func (p *Protector) IsNeeded(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	accesses, err := p.cached(ctx, claim, index.AccessesNeedingClaim, client.Limit(1)) // without a copy of perhaps thousands
	if err != nil || len(accesses) > 0 {
		return len(accesses) > 0, err
	}
	if p.fresh.isProven(claim.Namespace) {
		return false, nil
	}
	return p.hasLive(ctx, claim, ownership.NeedsClaims)
}

// HasHandedOff reports whether an access that the sidecar owns refers to the claim, with or without
// the annotation. It is the last check before a claim is released irreversibly. So the cache
// decides only if no access can be newer than the cache.
func (p *Protector) HasHandedOff(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	accesses, err := p.cached(ctx, claim, index.AccessesByClaim)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(accesses, func(a v1alpha2.BucketAccess) bool { return ownership.SidecarOwns(&a) }) {
		return true, nil
	}
	mayBeHandedOff := func(a v1alpha2.BucketAccess) bool { return !v1alpha2.IsSidecarCleanupFinished(&a) }
	if p.fresh.isProven(claim.Namespace) && !slices.ContainsFunc(accesses, mayBeHandedOff) {
		return false, nil
	}
	return p.hasLive(ctx, claim, ownership.SidecarOwns)
}

// cached returns the accesses in an index for the claim. They are the cache's own objects and must
// not be changed.
func (p *Protector) cached(
	ctx context.Context, claim *v1alpha2.BucketClaim, by string, options ...client.ListOption,
) ([]v1alpha2.BucketAccess, error) {
	list := &v1alpha2.BucketAccessList{}
	err := p.client.List(ctx, list, append(options, client.InNamespace(claim.Namespace),
		client.MatchingFields{by: claim.Name}, client.UnsafeDisableDeepCopy)...)
	if err != nil {
		return nil, fmt.Errorf("list BucketAccesses of BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return list.Items, nil
}

// hasLive reports whether the API server has an access of the claim that the function selects.
func (p *Protector) hasLive(
	ctx context.Context, claim *v1alpha2.BucketClaim, selected func(*v1alpha2.BucketAccess) bool,
) (bool, error) {
	list := &v1alpha2.BucketAccessList{}
	if err := p.live.List(ctx, list, client.InNamespace(claim.Namespace)); err != nil {
		return false, fmt.Errorf("list BucketAccesses of namespace %s: %w", claim.Namespace, err)
	}
	if err := p.fresh.compare(ctx, p.client, claim.Namespace, list.Items); err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Items, func(a v1alpha2.BucketAccess) bool {
		return selected(&a) && slices.Contains(index.ClaimNames(&a), claim.Name)
	}), nil
}
