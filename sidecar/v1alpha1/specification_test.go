package v1alpha1_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// Credentials are in the Secret, and nowhere else: not in the log at its highest verbosity,
// nor in Events and objects.
// Spec: A1-SECRET-5
func TestCredentialsStayInTheSecret(t *testing.T) {
	cl := newTestCluster(t)
	var mu sync.Mutex
	var log strings.Builder
	cl.options.Logger = funcr.New(func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		log.WriteString(line + "\n")
	}, funcr.Options{Verbosity: 10})
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	key := drivertest.SecretKey(access.Status.AccountID)
	if info, err := cl.info(access); err != nil || info.Spec.SecretS3.AccessSecretKey != key {
		t.Fatalf("the Secret does not have %s, so this test shows nothing (%v)", key, err)
	}
	cl.remove(access)
	stop()
	shown := map[string]string{"the log": log.String()}
	buckets, events := &v1alpha1.BucketList{}, &eventsv1.EventList{}
	cl.Must(cl.List(t.Context(), buckets))
	cl.Must(cl.List(t.Context(), events, client.InNamespace(cl.Namespace)))
	shown["the access"], shown["Buckets"], shown["Events"] = fmt.Sprint(access), fmt.Sprint(buckets), events.String()
	for what, text := range shown {
		if strings.Contains(text, key) {
			t.Errorf("%s shows the key", what)
		}
	}
	if !strings.Contains(shown["the log"], access.Name) {
		t.Error("the log does not mention the access, so this test shows nothing")
	}
}

// What exceeds the limits of the specification is reported, and can be deleted. A driver is
// never sent it.
// Spec: A1-SIZE-1, A1-SIZE-4
func TestLimits(t *testing.T) {
	large := map[string]string{"key": strings.Repeat("x", cosiv1alpha1.MaxMap)}
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.bucket(func(b *v1alpha1.Bucket) { b.Spec.Parameters = large })
	cl.waitEvent(bucket, "Warning FailedCreateBucket", "parameters have 4099 bytes, more than 4096")
	cl.remove(bucket)
	cl.hasNoCalls(createBucket, deleteBucket)

	ready := cl.readyBucket()
	access := cl.access(ready, cl.class(func(c *v1alpha1.BucketAccessClass) { c.Parameters = large }).Name)
	cl.waitEvent(access, "Warning FailedGrantAccess", "parameters have 4099 bytes, more than 4096")
	cl.remove(access)
	cl.hasNoCalls(grantAccess, revokeAccess)

	cl.driver.Answer(grantAccess, &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: "a", Credentials: secrets("s3", large)})
	access = cl.access(ready, cl.class().Name)
	cl.waitEvent(access, "Warning FailedGrantAccess", "too large")
	cl.remove(access)
	if calls := cl.driver.Calls(revokeAccess); len(calls) != 1 {
		t.Errorf("%d calls to revoke the access, want 1: its account exists", len(calls))
	}
}
