package v1alpha1_test

import (
	"context"
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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestE54DeletedBucketIsNotRetried: no call, no write and no log line follow the deletion of a
// Bucket that the driver could not create.
func TestE54DeletedBucketIsNotRetried(t *testing.T) {
	w := newWorld(t)
	var lines atomic.Int64
	w.options.Logger = funcr.New(func(_, _ string) { lines.Add(1) }, funcr.Options{Verbosity: 10})
	w.driver.Fail(createBucket, codes.Internal, "never")
	w.start()
	bucket := w.bucket()
	w.waitEvent(bucket, "Warning FailedCreateBucket", "never")
	w.remove(bucket)
	w.settle()
	calls, writes, logged := len(w.driver.Calls()), len(w.requests.Writes()), lines.Load()
	w.settle()
	if c, n, l := len(w.driver.Calls()), len(w.requests.Writes()), lines.Load(); c != calls || n != writes || l != logged {
		t.Errorf("after the deletion: %d calls, %d writes, %d log lines", c-calls, n-writes, l-logged)
	}
}

// TestE58ConflictIsNoFailure: another writer changes the Bucket between the sidecar's read of it and
// the write of its finalizer. The access is granted, and no Event shows the conflict to the user.
func TestE58ConflictIsNoFailure(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket, class := w.readyBucket(), w.class()
	w.settle()
	var conflicts atomic.Int64
	w.requests.Intercept(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodPatch && path.Base(request.URL.Path) == bucket.Name && conflicts.Add(1) <= 3 {
			other := &v1alpha1.Bucket{}
			err := w.Get(request.Context(), client.ObjectKeyFromObject(bucket), other)
			if err == nil {
				other.Labels = map[string]string{"round": fmt.Sprint(conflicts.Load())}
				err = w.Update(request.Context(), other)
			}
			if err != nil {
				t.Error(err)
			}
		}
		return nil, nil //nolint:nilnil // the request goes on
	})
	access := w.access(bucket, class.Name)
	w.waitGranted(access)
	w.requests.Intercept(nil)
	if n := conflicts.Load(); n < 4 {
		t.Errorf("%d writes of the Bucket, want 3 that conflict and 1 that does not", n)
	}
	for _, note := range append(w.notes(access), w.notes(bucket)...) {
		if strings.Contains(note, "Warning") {
			t.Errorf("the user reads %q", note)
		}
	}
}

// TestE62LostLease: a leader that cannot renew its Lease ends with an error, and the next sidecar
// follows within the duration of the Lease.
func TestE62LostLease(t *testing.T) {
	w := newWorld(t)
	const lease = 6 * time.Second
	w.options.LeaderElection, w.options.LeaderElectionNamespace = true, "cosi-system"
	w.options.LeaseDuration, w.options.RenewDeadline, w.options.RetryPeriod = lease, lease/3, 200*time.Millisecond
	first, ended := w.launch()
	w.Must(first.WaitReady(t.Context()))
	standby := *w
	standby.requests, standby.options.RenewDeadline = &cluster.Requests{}, lease*5/6
	second, _ := standby.launch()
	w.requests.Reject(http.MethodPut, "/leases/"+cosisidecar.LeaseName(first.DriverName()))
	w.Must(second.WaitReady(t.Context()))
	if err := harness.Receive(t, "the first sidecar ends", ended); err == nil {
		t.Error("a lost Lease is no error: the process would end as if it had been told to")
	}
	w.readyBucket()
}

// launch runs a sidecar that may end before the test does, and does not wait until it is ready.
func (w *world) launch() (s *sidecarv1alpha1.Sidecar, ended <-chan error) {
	w.Helper()
	s, err := sidecarv1alpha1.New(w.Context(), w.config(), w.options)
	w.Must(err)
	ctx, cancel := context.WithCancel(context.Background())
	result, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		result <- s.Start(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-over
	})
	return s, result
}

// TestE67FailureIsReportedOnce: a permanent failure has one Event, and a rejection one line in the
// log. No retry writes anything.
func TestE67FailureIsReportedOnce(t *testing.T) {
	for code, lines := range map[codes.Code]int64{codes.InvalidArgument: 1, codes.Internal: 0} {
		t.Run(code.String(), func(t *testing.T) {
			w := newWorld(t)
			var logged atomic.Int64
			w.options.Logger = funcr.New(func(_, line string) {
				if strings.Contains(line, "Reconciler error") {
					logged.Add(1)
				}
			}, funcr.Options{})
			w.driver.Fail(createBucket, code, "no")
			w.start()
			bucket := w.bucket()
			w.waitEvent(bucket, "Warning FailedCreateBucket", "no")
			var writes int
			if lines == 0 {
				w.driver.AwaitCalls(t, createBucket, 2)
				writes = len(w.requests.Writes())
				w.driver.AwaitCalls(t, createBucket, 3)
			} else {
				w.settle()
				writes = len(w.requests.Writes())
				w.settle()
				if got := logged.Load(); got != lines {
					t.Errorf("the rejection was logged %d times, want %d", got, lines)
				}
			}
			if n := len(w.requests.Writes()) - writes; n != 0 {
				t.Errorf("%d writes of retries", n)
			}
			if n := w.EventReasons(bucket)["FailedCreateBucket"]; n != 1 {
				t.Errorf("%d Events of one failure", n)
			}
		})
	}
}

// TestE70AlreadyExistsOnGrant: the code has no response, so nothing is read from it. A later OK
// repairs it.
func TestE70AlreadyExistsOnGrant(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.driver.Fail(grantAccess, codes.AlreadyExists, "granted before")
	access := w.access(bucket, w.class().Name)
	w.waitEvent(access, "Warning FailedGrantAccess", "AlreadyExists")
	w.driver.AwaitCalls(t, grantAccess, 2)
	if err := w.isGranted(access); err == nil {
		t.Error("it is granted without an account")
	}
	if _, err := w.secretOf(access); !apierrors.IsNotFound(err) {
		t.Errorf("there is a Secret (%v)", err)
	}
	w.driver.Script(grantAccess, nil)
	w.waitGranted(access)
}

// TestE77NoController: without a controller an access waits, an Event says for what, and nothing is
// retried.
func TestE77NoController(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.bucket()
	w.waitBucket(bucket)
	access := w.access(bucket, w.class().Name)
	claim := w.claimOf(bucket)
	w.waitEvent(access, "Normal WaitingForBucket", claim.Name)
	w.settle()
	writes := len(w.requests.Writes())
	w.hasNoCalls(grantAccess)
	if n := len(w.requests.Writes()) - writes; n != 0 {
		t.Errorf("%d writes while it waits", n)
	}
	if notes := w.notes(access); len(notes) != 1 {
		t.Errorf("Events %q, want one", notes)
	}
	w.bind(bucket) // a controller is installed
	w.waitGranted(access)
}
