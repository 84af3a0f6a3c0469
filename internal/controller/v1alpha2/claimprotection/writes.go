package claimprotection

import (
	"context"
	"fmt"
	"hash/fnv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// WriteStatus writes the whole status of a claim, locked to its latest version. The reconciler of
// accesses writes claims, too: the two take turns, so that the lock causes no conflicts between
// them.
//
// The lock identifies the claim: the API server ignores a UID in a patch of a status. A claim that
// was deleted by force and created again must not inherit an immutable boundBucketName.
//
// The claim gets the version of the answer, so that the caller's next write does not conflict with
// this one. It keeps its version if another writer has been faster: the caller has not seen the
// change, such as the annotation, and its lock must fail.
func (p *Protector) WriteStatus(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	done, err := p.turns.take(ctx, claim.UID)
	if err != nil {
		return err
	}
	defer done()
	latest := &v1alpha2.BucketClaim{} // the cache waits for this controller's own writes
	if err := p.client.Get(ctx, client.ObjectKeyFromObject(claim), latest); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	if latest.UID != claim.UID {
		return replaced(claim)
	}
	base, written := claim.DeepCopy(), claim.DeepCopy()
	base.Status, base.ResourceVersion = v1alpha2.BucketClaimStatus{}, latest.ResourceVersion
	if err := cosireconcile.PatchStatus(ctx, p.client, written, locked(base)); err != nil {
		return err
	}
	if latest.ResourceVersion == claim.ResourceVersion {
		claim.ResourceVersion = written.ResourceVersion
	}
	return nil
}

// annotate sets the annotation. The patch names the UID, and not the version: only this controller
// writes the annotation, and other writers should cause no conflict.
func (p *Protector) annotate(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	done, err := p.turns.take(ctx, claim.UID)
	if err != nil {
		return err
	}
	defer done()
	base, changed := claim.DeepCopy(), claim.DeepCopy()
	base.UID = "" // so that the patch contains it
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
	if err := p.client.Patch(ctx, changed, client.MergeFrom(base)); err != nil {
		return otherUID(claim, err)
	}
	claim.ObjectMeta = changed.ObjectMeta
	return nil
}

// removeAnnotation is locked: a claim that has just been annotated again keeps it.
func (p *Protector) removeAnnotation(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	done, err := p.turns.take(ctx, claim.UID)
	if err != nil {
		return err
	}
	defer done()
	changed := claim.DeepCopy()
	RemoveAnnotation(changed)
	return p.client.Patch(ctx, changed, locked(claim))
}

func locked(base *v1alpha2.BucketClaim) client.Patch {
	return client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})
}

// otherUID turns the rejection of a patch that names another UID into a conflict.
func otherUID(claim *v1alpha2.BucketClaim, err error) error {
	if cause, ok := apierrors.StatusCause(err, metav1.CauseTypeFieldValueInvalid); ok && cause.Field == "metadata.uid" {
		return replaced(claim)
	}
	return err
}

// replaced returns the conflict of a write to another claim than the one that was read.
func replaced(claim *v1alpha2.BucketClaim) error {
	return apierrors.NewConflict(v1alpha2.Resource("bucketclaims"), claim.Name,
		fmt.Errorf("the BucketClaim with UID %s does not exist any more", claim.UID))
}

// turns lets one writer at a time write a claim. Claims share a fixed number of turns.
type turns [64]chan struct{}

func newTurns() *turns {
	t := &turns{}
	for i := range t {
		t[i] = make(chan struct{}, 1)
	}
	return t
}

// take waits for the turn to write a claim. The caller ends it by calling done.
func (t *turns) take(ctx context.Context, claim types.UID) (done func(), err error) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(claim)) // a hash returns no error
	turn := t[hash.Sum32()%uint32(len(t))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
