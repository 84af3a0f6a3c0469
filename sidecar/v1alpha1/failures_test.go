package v1alpha1_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"google.golang.org/grpc/codes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestE54DeletedBucketIsNotRetried: no call, no write and no log line follow the deletion of a
// Bucket that the driver could not create.
func TestE54DeletedBucketIsNotRetried(t *testing.T) {
	cl := newTestCluster(t)
	var lines atomic.Int64
	cl.options.Logger = funcr.New(func(_, _ string) { lines.Add(1) }, funcr.Options{Verbosity: 10})
	cl.driver.Fail(createBucket, codes.Internal, "never")
	cl.start()
	bucket := cl.bucket()
	cl.waitEvent(bucket, "Warning FailedCreateBucket", "never")
	cl.remove(bucket)
	cl.settle()
	calls, writes, logged := len(cl.driver.Calls()), len(cl.Requests.Writes()), lines.Load()
	cl.settle()
	if c, n, l := len(cl.driver.Calls()), len(cl.Requests.Writes()), lines.Load(); c != calls || n != writes || l != logged {
		t.Errorf("after the deletion: %d calls, %d writes, %d log lines", c-calls, n-writes, l-logged)
	}
}

// TestE58ConflictIsNoFailure: another writer changes the Bucket between the sidecar's read of it and
// the write of its finalizer. The access is granted, and no Event shows the conflict to the user.
func TestE58ConflictIsNoFailure(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket, class := cl.readyBucket(), cl.class()
	cl.settle()
	var conflicts atomic.Int64
	cl.Requests.Intercept(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodPatch && path.Base(request.URL.Path) == bucket.Name && conflicts.Add(1) <= 3 {
			other := &v1alpha1.Bucket{}
			err := cl.Get(request.Context(), client.ObjectKeyFromObject(bucket), other)
			if err == nil {
				metav1.SetMetaDataLabel(&other.ObjectMeta, "round", fmt.Sprint(conflicts.Load()))
				err = cl.Update(request.Context(), other)
			}
			if err != nil {
				t.Error(err)
			}
		}
		return nil, nil
	})
	access := cl.access(bucket, class.Name)
	cl.waitGranted(access)
	cl.Requests.Intercept(nil)
	if n := conflicts.Load(); n < 4 {
		t.Errorf("%d writes of the Bucket, want 3 that conflict and 1 that does not", n)
	}
	for _, note := range append(cl.notes(access), cl.notes(bucket)...) {
		if strings.Contains(note, "Warning") {
			t.Errorf("the user reads %q", note)
		}
	}
}

// TestE62LostLease: a leader that cannot renew its Lease ends with an error, and the next sidecar
// follows within the duration of the Lease.
func TestE62LostLease(t *testing.T) {
	cl := newTestCluster(t)
	const lease = 6 * time.Second
	cl.options.LeaderElection, cl.options.LeaderElectionNamespace = true, "cosi-system"
	cl.options.LeaseDuration, cl.options.RenewDeadline, cl.options.RetryPeriod = lease, lease/3, 200*time.Millisecond
	first, ended := cl.launch()
	cl.Must(first.WaitReady(t.Context()))
	standby := *cl
	standby.Cluster, standby.options.RenewDeadline = cl.Machine(), lease*5/6
	second, _ := standby.launch()
	cl.Requests.Reject(http.MethodPut, "/leases/"+cosisidecar.LeaseName(first.DriverName()))
	cl.Must(second.WaitReady(t.Context()))
	if err := harness.Receive(t, "the first sidecar ends", ended); err == nil {
		t.Error("a lost Lease is no error: the process would end as if it had been told to")
	}
	cl.readyBucket()
}

// TestE67FailureIsReportedOnce: a permanent failure has one Event, and a rejection one line in the
// log. No retry writes anything.
func TestE67FailureIsReportedOnce(t *testing.T) {
	for code, lines := range map[codes.Code]int64{codes.InvalidArgument: 1, codes.Internal: 0} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			var logged atomic.Int64
			cl.options.Logger = funcr.New(func(_, line string) {
				if strings.Contains(line, "Reconciler error") {
					logged.Add(1)
				}
			}, funcr.Options{})
			cl.driver.Fail(createBucket, code, "no")
			cl.start()
			bucket := cl.bucket()
			cl.waitEvent(bucket, "Warning FailedCreateBucket", "no")
			var writes int
			if lines == 0 {
				cl.driver.AwaitCalls(t, createBucket, 2)
				writes = len(cl.Requests.Writes())
				cl.driver.AwaitCalls(t, createBucket, 3)
			} else {
				cl.settle()
				writes = len(cl.Requests.Writes())
				cl.settle()
				if got := logged.Load(); got != lines {
					t.Errorf("the rejection was logged %d times, want %d", got, lines)
				}
			}
			if n := len(cl.Requests.Writes()) - writes; n != 0 {
				t.Errorf("%d writes of retries", n)
			}
			if n := cl.EventReasons(bucket)["FailedCreateBucket"]; n != 1 {
				t.Errorf("%d Events of one failure", n)
			}
		})
	}
}

// TestE70AlreadyExistsOnGrant: the code has no response, so nothing is read from it. A later OK
// repairs it.
func TestE70AlreadyExistsOnGrant(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.driver.Fail(grantAccess, codes.AlreadyExists, "granted before")
	access := cl.access(bucket, cl.class().Name)
	cl.waitEvent(access, "Warning FailedGrantAccess", "AlreadyExists")
	cl.driver.AwaitCalls(t, grantAccess, 2)
	if err := cl.isGranted(access); err == nil {
		t.Error("it is granted without an account")
	}
	if _, err := cl.secretOf(access); !apierrors.IsNotFound(err) {
		t.Errorf("there is a Secret (%v)", err)
	}
	cl.driver.Script(grantAccess, nil)
	cl.waitGranted(access)
}

// TestE77NoController: without a controller an access waits, an Event names the claim, and nothing
// is retried.
func TestE77NoController(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.bucket()
	cl.waitBucket(bucket)
	access := cl.access(bucket, cl.class().Name)
	claim := cl.claimOf(bucket)
	cl.waitEvent(access, "Normal WaitingForBucket", claim.Name)
	cl.settle()
	writes := len(cl.Requests.Writes())
	cl.hasNoCalls(grantAccess)
	if n := len(cl.Requests.Writes()) - writes; n != 0 {
		t.Errorf("%d writes while it waits", n)
	}
	if notes := cl.notes(access); len(notes) != 1 {
		t.Errorf("Events %q, want one", notes)
	}
	cl.bind(bucket) // a controller is installed
	cl.waitGranted(access)
}
