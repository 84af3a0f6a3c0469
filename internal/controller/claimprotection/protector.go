package claimprotection

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
)

// Keeper sets the annotation and takes it away. One Keeper serves all
// reconcilers of a controller and may be used concurrently.
type Keeper struct {
	client client.Client
	live   client.Reader
	fence  fence
}

// NewKeeper returns a Keeper. The client reads from a cache with the indexes of
// package index, the other reader from the API server.
func NewKeeper(cached client.Client, live client.Reader) *Keeper {
	return &Keeper{client: cached, live: live, fence: fence{live: live}}
}

// Protected reports whether the annotation is on the claim.
func Protected(claim *v1alpha2.BucketClaim) bool {
	return metav1.HasAnnotation(claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation)
}

// Hold sets the annotation and brings the claim up to date with the API server,
// so that the caller sees whether it is being deleted by now. The cache may not
// know that yet.
func (k *Keeper) Hold(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	if Protected(claim) { // nothing will be written, and so nothing learnt
		if err := k.refresh(ctx, claim); err != nil {
			return err
		}
	}
	return k.Protect(ctx, claim)
}

// Protect sets the annotation, if it is not there. The metadata of claim is what
// the API server has answered.
func (k *Keeper) Protect(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	if Protected(claim) {
		return nil
	}
	changed := claim.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
	if err := k.client.Patch(ctx, changed, client.MergeFrom(claim)); err != nil {
		return fmt.Errorf("annotate BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	claim.ObjectMeta = changed.ObjectMeta
	return nil
}

func (k *Keeper) refresh(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	key, current := client.ObjectKeyFromObject(claim), &v1alpha2.BucketClaim{}
	if err := k.live.Get(ctx, key, current); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	current.DeepCopyInto(claim)
	return nil
}

// Release takes the annotation off a claim that no BucketAccess needs, and
// brings the metadata of claim up to date. The resource version, if it is not
// empty, is that of a BucketAccess from the cache; it saves asking the API
// server where it proves that the cache is recent enough.
func (k *Keeper) Release(ctx context.Context, claim *v1alpha2.BucketClaim, seen string) error {
	if !Protected(claim) {
		return nil
	}
	needed, err := k.needed(ctx, claim, seen)
	if err != nil || needed {
		return err
	}
	changed := claim.DeepCopy()
	delete(changed.Annotations, v1alpha2.HasBucketAccessReferencesAnnotation)
	// With the lock, a claim that somebody has just annotated again keeps it.
	patch := client.MergeFromWithOptions(claim, client.MergeFromWithOptimisticLock{})
	if err := k.client.Patch(ctx, changed, patch); err != nil {
		return fmt.Errorf("remove annotation from BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	claim.ObjectMeta = changed.ObjectMeta
	return nil
}

// Holders are the names of the BucketAccesses that need the claim, sorted.
func (k *Keeper) Holders(ctx context.Context, claim *v1alpha2.BucketClaim) ([]string, error) {
	holders, err := k.cached(ctx, claim)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(holders))
	for i := range holders {
		names = append(names, holders[i].Name)
	}
	slices.Sort(names)
	return names, nil
}

// HandedOff reports whether an access that the sidecar owns refers to the claim,
// annotation or not.
func (k *Keeper) HandedOff(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	holders, err := k.cached(ctx, claim)
	return slices.ContainsFunc(holders, func(a v1alpha2.BucketAccess) bool { return ownership.SidecarOwns(&a) }), err
}

// needed asks the cache first, which is nearly always enough to know that the
// claim is needed. That nobody needs it must not be concluded from a cache that
// is behind: credentials would outlive the protection of their claim.
func (k *Keeper) needed(ctx context.Context, claim *v1alpha2.BucketClaim, seen string) (bool, error) {
	holders, err := k.cached(ctx, claim, client.Limit(1)) // of perhaps thousands
	if err != nil || len(holders) > 0 {
		return len(holders) > 0, err
	}
	recent, err := k.fence.passed(ctx, seen)
	if err != nil || recent {
		return false, err
	}
	return k.neededLive(ctx, claim)
}

// cached are the accesses that need the claim. They are the cache's own objects
// and must not be changed.
func (k *Keeper) cached(
	ctx context.Context, claim *v1alpha2.BucketClaim, options ...client.ListOption,
) ([]v1alpha2.BucketAccess, error) {
	list := &v1alpha2.BucketAccessList{}
	err := k.client.List(ctx, list, append(options, client.InNamespace(claim.Namespace),
		client.MatchingFields{index.AccessesNeedingClaim: claim.Name}, client.UnsafeDisableDeepCopy)...)
	if err != nil {
		return nil, fmt.Errorf("list BucketAccesses of BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return list.Items, nil
}

func (k *Keeper) neededLive(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	list := &v1alpha2.BucketAccessList{}
	if err := k.live.List(ctx, list, client.InNamespace(claim.Namespace)); err != nil {
		return false, fmt.Errorf("list BucketAccesses of namespace %s: %w", claim.Namespace, err)
	}
	return slices.ContainsFunc(list.Items, func(a v1alpha2.BucketAccess) bool {
		return ownership.NeedsClaims(&a) && slices.Contains(index.ClaimNames(&a), claim.Name)
	}), nil
}
