package env

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

// errFinal means that COSI has rejected the access, its claim or its Bucket, and does not retry.
var errFinal = errors.New("COSI does not retry until an object is corrected")

// cause collects the conditions that explain why an access is not ready: of the access, its claims and their Buckets.
type cause struct {
	lines []string
	final bool
}

// notReady returns the error of an access that is not ready.
func notReady(ctx context.Context, c client.Client, version objectstorage.Version, access *v1alpha2.BucketAccess) error {
	found := &cause{}
	found.add("", access.Generation, access.Status.Conditions)
	if lists, err := hub.Read(ctx, c, version, hub.Options{Namespace: access.Namespace}); err == nil { // else, its own have to do
		for _, wanted := range access.Spec.BucketClaims {
			found.addClaim(&lists, wanted.BucketClaimName)
		}
	}
	err := fmt.Errorf("BucketAccess %s: %w", client.ObjectKeyFromObject(access), ErrNotReady)
	if found.final && version != objectstorage.V1alpha1 { // whose Events may be about an earlier state
		err = fmt.Errorf("%w, %w", err, errFinal)
	}
	if len(found.lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(found.lines, "; "))
}

func (f *cause) addClaim(lists *hub.Lists, name string) {
	i := slices.IndexFunc(lists.Claims, func(claim v1alpha2.BucketClaim) bool { return claim.Name == name })
	if i < 0 {
		return // a condition of the access reports it
	}
	claim := &lists.Claims[i]
	f.add(fmt.Sprintf("BucketClaim %q: ", name), claim.Generation, claim.Status.Conditions)
	for j := range lists.Buckets {
		if bucket := &lists.Buckets[j]; bucket.Name == claim.Status.BoundBucketName {
			f.add(fmt.Sprintf("Bucket %q: ", bucket.Name), bucket.Generation, bucket.Status.Conditions)
		}
	}
}

// add adds the messages of conditions that are not as they should be, each once.
func (f *cause) add(about string, generation int64, conditions []metav1.Condition) {
	for i := range conditions {
		condition := &conditions[i]
		isFailure := condition.Type == v1alpha2.ConditionProvisionFailed
		good := condition.Status == metav1.ConditionTrue && !isFailure || condition.Status == metav1.ConditionFalse && isFailure
		if good || condition.Reason == v1alpha2.ReasonPending || condition.Message == "" {
			continue
		}
		isTold := func(line string) bool { return strings.Contains(line, condition.Message) } // a claim repeats its Bucket
		if !slices.ContainsFunc(f.lines, isTold) {
			f.lines = append(f.lines, about+condition.Message)
		}
		f.final = f.final || !isFailure && condition.Status == metav1.ConditionFalse && condition.ObservedGeneration == generation
	}
}
