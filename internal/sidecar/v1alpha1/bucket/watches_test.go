package bucket

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestChanged(t *testing.T) {
	ready := v1alpha1.BucketStatus{BucketReady: true, BucketID: "arn:one"}
	for name, tc := range map[string]struct {
		reason        string
		before, after func(*v1alpha1.Bucket)
		want          bool
	}{
		"Nothing":     {reason: "A resync.", before: nothing, after: nothing},
		"OwnStatus":   {reason: "The ID and the readiness come in one write.", before: nothing, after: has(ready)},
		"SavedID":     {reason: "The deletion has learned it.", before: nothing, after: has(v1alpha1.BucketStatus{BucketID: "arn:one"})},
		"Corrected":   {reason: "It was ready without an ID.", before: has(v1alpha1.BucketStatus{BucketReady: true}), after: nothing, want: true},
		"Finalizer":   {reason: "Its own.", before: unprotected, after: nothing},
		"ReadyByHand": {reason: "There is no bucket.", before: nothing, after: has(v1alpha1.BucketStatus{BucketReady: true}), want: true},
		"NotReady":    {reason: "There is a bucket.", before: has(ready), after: has(v1alpha1.BucketStatus{BucketID: "arn:one"}), want: true},
		"IDRemoved":   {reason: "Nothing is deleted.", before: has(ready), after: has(v1alpha1.BucketStatus{BucketReady: true}), want: true},
		"IDReplaced": {
			reason: "It is another bucket's.", before: has(ready),
			after: has(v1alpha1.BucketStatus{BucketReady: true, BucketID: "arn:two"}), want: true,
		},
		"DriverLabel": {reason: "It has to be restored.", before: labeled, after: nothing, want: true},
		"OwnLabel":    {reason: "The reconciler has written it.", before: nothing, after: labeled},
		"Stripped":    {reason: "The Bucket could vanish.", before: nothing, after: unprotected, want: true},
		"Spec":        {reason: "Such as the policy.", before: nothing, after: func(b *v1alpha1.Bucket) { b.Generation = 2 }, want: true},
		"Deleted": {
			reason: "It has to be deprovisioned.", before: nothing,
			after: func(b *v1alpha1.Bucket) { b.DeletionTimestamp = new(metav1.NewTime(time.Unix(1, 0))) }, want: true,
		},
		"Recreated": {reason: "It is another object.", before: nothing, after: func(b *v1alpha1.Bucket) { b.UID = "other" }, want: true},
		"LastAccess": {
			reason: "The deletion can go on.", after: nothing, want: true,
			before: func(b *v1alpha1.Bucket) { b.Finalizers = append(b.Finalizers, v1alpha1.BucketAccessBucketFinalizer) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := newBucket(tc.before), newBucket(tc.after)
			if got := changed(before, after); got != tc.want {
				t.Errorf("%s\nchanged() = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func newBucket(change func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{UID: "b", Generation: 1, Finalizers: []string{v1alpha1.BucketFinalizer}}}
	change(b)
	return b
}

func nothing(*v1alpha1.Bucket) {}

func labeled(b *v1alpha1.Bucket) { b.Labels = map[string]string{v1alpha2.DriverLabel: "one.test"} }

func unprotected(b *v1alpha1.Bucket) { b.Finalizers = nil }

func has(status v1alpha1.BucketStatus) func(*v1alpha1.Bucket) {
	return func(b *v1alpha1.Bucket) { b.Status = status }
}
