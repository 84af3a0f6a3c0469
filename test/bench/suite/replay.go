package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
)

const (
	// standInFinalizer makes a patch of finalizers a change to a claim that has
	// COSI's already.
	standInFinalizer = "cosi-emu.example/stand-in"
	// All components ignore Buckets and claims of noDriver.
	noDriver = "no-driver.cosi-emu.example"
)

// errReplay means that controller or sidecar make writes of a kind that replay
// does not know.
var errReplay = errors.New("a write of this kind cannot be repeated")

// standIn is a claim, and the Bucket that it will seem to have, that writes can
// be repeated on without anybody reacting: the claim waits for a class that is
// not there, and the Bucket is for a driver that is not there.
type standIn struct {
	target   *target
	original *v1alpha2.BucketClaim
	claim    *v1alpha2.BucketClaim
}

// replay makes the writes of a claim once more, one after another, on objects
// like those that they were for, and returns how long each of them took.
func (t *target) replay(
	ctx context.Context, watcher watch.Interface, original *v1alpha2.BucketClaim, writes []journal.Event,
) (times []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	s := &standIn{target: t, original: original, claim: scale.NewClaim(original.Namespace, "stand-in-for-"+original.Name, noDriver)}
	if err := t.client.Create(ctx, s.claim); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.remove(context.WithoutCancel(ctx))) }()
	settled := func(c *v1alpha2.BucketClaim) bool { return c.UID == s.claim.UID && len(c.Status.Conditions) > 0 }
	if err := await(ctx, watcher, settled); err != nil {
		return nil, err
	}
	for _, write := range writes {
		elapsed, err := s.repeat(ctx, write)
		if err != nil {
			return nil, fmt.Errorf("repeat %s: %w", write.Operation, err)
		}
		times = append(times, elapsed)
	}
	return times, nil
}

// repeat makes one write and returns how long it took.
func (s *standIn) repeat(ctx context.Context, write journal.Event) (time.Duration, error) {
	object, body, err := s.adapt(write)
	if err != nil {
		return 0, err
	}
	c, patch := s.target.client, client.RawPatch(types.MergePatchType, body)
	begin := time.Now()
	switch write.Operation.Name {
	case "create buckets":
		err = c.Create(ctx, object)
	case "patch buckets", "patch bucketclaims":
		err = c.Patch(ctx, object, patch)
	case "patch buckets/status", "patch bucketclaims/status":
		err = c.Status().Patch(ctx, object, patch)
	default:
		err = errReplay
	}
	return time.Since(begin), err
}

// adapt turns a request for the original into a request for the stand-in.
func (s *standIn) adapt(write journal.Event) (*unstructured.Unstructured, []byte, error) {
	body := bytes.ReplaceAll(write.Request, []byte(bucketOf(s.original)), []byte(bucketOf(s.claim)))
	content := map[string]any{}
	if err := json.Unmarshal(body, &content); err != nil {
		return nil, nil, err
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetResourceVersion("")
	if finalizers := object.GetFinalizers(); len(finalizers) > 0 {
		object.SetFinalizers(append(finalizers, standInFinalizer))
	}
	if verb(write) == "create" {
		return object, nil, errors.Join(
			unstructured.SetNestedField(content, noDriver, "spec", "driverName"),
			unstructured.SetNestedField(content, noDriver, "spec", "bucketClaimRef", "name"))
	}
	body, err := json.Marshal(content)
	return s.named(write), body, err
}

// named returns the object that a write is repeated on.
func (s *standIn) named(write journal.Event) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(v1alpha2.SchemeGroupVersion.WithKind("Bucket"))
	object.SetName(bucketOf(s.claim))
	if slices.Contains([]string{"bucketclaims", "bucketclaims/status"}, resource(write)) {
		object.SetGroupVersionKind(v1alpha2.SchemeGroupVersion.WithKind("BucketClaim"))
		object.SetNamespace(s.claim.Namespace)
		object.SetName(s.claim.Name)
	}
	return object
}

// remove deletes the stand-ins. The controller, which has seen the claim, takes
// its own finalizer off.
func (s *standIn) remove(ctx context.Context) error {
	bucket := &v1alpha2.Bucket{}
	bucket.Name = bucketOf(s.claim)
	free := func(finalizers string) client.Patch {
		return client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`))
	}
	c := s.target.client
	return errors.Join(
		client.IgnoreNotFound(c.Patch(ctx, bucket, free("null"))),
		client.IgnoreNotFound(c.Delete(ctx, bucket)),
		c.Patch(ctx, s.claim, free(`["`+v1alpha2.ProtectionFinalizer+`"]`)),
		c.Delete(ctx, s.claim),
	)
}
