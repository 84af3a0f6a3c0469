package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// pattern is a pair that the components have brought to its end. Its copies need no
// components, so that many are there soon.
type pattern struct {
	claim  *v1alpha2.BucketClaim
	bucket *v1alpha2.Bucket
	access *v1alpha2.BucketAccess
	secret *corev1.Secret
}

// patternName is in no other name.
const patternName = "pattern-pair"

// newPattern creates a pair in a namespace.
func (e *environment) newPattern(ctx context.Context, m *requestCounter, namespace string) (*pattern, error) {
	claim, access := NewClaim(namespace, patternName, class), NewAccess(namespace, patternName, patternName, class)
	err := e.await(ctx, batch{namespace: namespace, count: 1}, isReady, func(ctx context.Context) error {
		return errors.Join(e.admin.Create(ctx, claim), e.admin.Create(ctx, access))
	})
	if err := errors.Join(err, m.awaitIdle(ctx)); err != nil {
		return nil, err
	}
	p := &pattern{claim: claim, bucket: &v1alpha2.Bucket{}, access: access, secret: &corev1.Secret{}}
	key := client.ObjectKeyFromObject(claim)
	if err := errors.Join(e.admin.Get(ctx, key, claim), e.admin.Get(ctx, key, access), e.admin.Get(ctx, key, p.secret)); err != nil {
		return nil, err
	}
	return p, e.admin.Get(ctx, client.ObjectKey{Name: claim.Status.BoundBucketName}, p.bucket)
}

// copy creates the four objects of the i-th pair, as the components would leave them.
func (e *environment) copy(ctx context.Context, p *pattern, i int) error {
	replaced := []string{patternName, numbered(i)}
	for _, object := range []struct{ from, to client.Object }{
		{p.claim, &v1alpha2.BucketClaim{}}, {p.bucket, &v1alpha2.Bucket{}},
		{p.access, &v1alpha2.BucketAccess{}}, {p.secret, &corev1.Secret{}},
	} {
		if err := e.copyObject(ctx, object.from, object.to, replaced); err != nil {
			return fmt.Errorf("copy %T %s: %w", object.from, object.from.GetName(), err)
		}
		replaced = append(replaced, string(object.from.GetUID()), string(object.to.GetUID()))
	}
	return nil
}

// copyObject creates an object with its status, and with names and UIDs replaced. A status may
// have the object's own UID, in the name of a Bucket or an account.
func (e *environment) copyObject(ctx context.Context, from, to client.Object, replaced []string) error {
	if err := replace(from, to, replaced); err != nil {
		return err
	}
	to.SetUID("")
	to.SetResourceVersion("")
	to.SetCreationTimestamp(metav1.Time{})
	to.SetGeneration(0)
	to.SetManagedFields(nil)
	full, ok := to.DeepCopyObject().(client.Object)
	if !ok {
		return errors.New("it is no object")
	}
	if err := e.admin.Create(ctx, to); err != nil {
		return err
	}
	if _, hasNone := to.(*corev1.Secret); hasNone {
		return nil
	}
	if err := replace(full, full, []string{string(from.GetUID()), string(to.GetUID())}); err != nil {
		return err
	}
	full.SetUID(to.GetUID())
	full.SetResourceVersion(to.GetResourceVersion())
	full.SetCreationTimestamp(to.GetCreationTimestamp())
	return e.admin.Status().Update(ctx, full)
}

// replace copies an object with texts replaced, in the data of a Secret, too.
func replace(from, to client.Object, replaced []string) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	replacer := strings.NewReplacer(replaced...)
	if err := json.Unmarshal([]byte(replacer.Replace(string(text))), to); err != nil {
		return err
	}
	if secret, ok := to.(*corev1.Secret); ok {
		for key, value := range secret.Data {
			secret.Data[key] = []byte(replacer.Replace(string(value)))
		}
	}
	return nil
}
