package sidecar_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// TestE03DriverWithoutGenerateBucketID: elsewhere, each Bucket of a driver that
// lacked the call failed for good, and an upgrade of the driver alone changed
// nothing. Here the upgraded driver is asked again, without a restart of the
// sidecar.
func TestE03DriverWithoutGenerateBucketID(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGenerateBucketId", codes.Unimplemented, "unknown method DriverGenerateBucketId")
	cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	cl.settle()
	if calls := cl.driver.Calls("DriverGenerateBucketId"); len(calls) != 1 {
		t.Errorf("a driver that does not know a call was asked %d times", len(calls))
	}
	cl.driver.Stop()
	cl.driver.Script("DriverGenerateBucketId", nil)
	cl.driver.Serve()
	cl.WaitReady(bucket)
}

// TestE06InvalidIDFailsOnce: an ID that the API server would reject is detected
// before, and does not start an endless exchange of generating and rejecting.
func TestE06InvalidIDFailsOnce(t *testing.T) {
	for name, id := range map[string]string{"space": "a b", "too long": strings.Repeat("x", 2049), "empty": ""} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
			cl.start()
			bucket := cl.bucket()
			cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
			cl.settle()
			if calls := cl.driver.Calls("DriverGenerateBucketId"); len(calls) != 1 {
				t.Errorf("the driver was asked %d times for an ID", len(calls))
			}
			cl.Must(cl.Refresh(bucket))
			if bucket.Status.BucketID != "" || len(cl.driver.Buckets()) > 0 {
				t.Errorf("the ID %q was used", bucket.Status.BucketID)
			}
		})
	}
}

// TestE08RandomIDs: a driver that names another ID each time is asked again when the first could not
// be saved. The sidecar creates only a saved ID.
func TestE08RandomIDs(t *testing.T) {
	cl := newTestCluster(t)
	var count atomic.Int64
	cl.driver.Script("DriverGenerateBucketId", func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) {
		n := count.Add(1)
		if n == 1 {
			cl.Requests.Reject(http.MethodPatch, "/status")
		} else {
			cl.Requests.Intercept(nil)
		}
		return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: fmt.Sprintf("random-%d", n)}, nil
	})
	cl.start()
	bucket := cl.readyBucket()
	if count.Load() < 2 {
		t.Fatal("the first ID could be saved")
	}
	if got := cl.driver.Buckets(); len(got) != 1 || got[0] != bucket.Status.BucketID {
		t.Errorf("the backend has %v, and Kubernetes knows of %s", got, bucket.Status.BucketID)
	}
}

// TestE46FormerProtocol: a driver that speaks v1alpha1 knows none of the services. The sidecar
// reports this, and does not go on asking for two minutes.
func TestE46FormerProtocol(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGetInfo", codes.Unimplemented, "unknown service sigs.k8s.io.cosi.v1alpha2.Identity")
	err := cl.fails()
	if err == nil || !strings.Contains(err.Error(), "does not serve COSI v1alpha2") {
		t.Errorf("the error does not say what is wrong: %v", err)
	}
	if calls := cl.driver.Calls("DriverGetInfo"); len(calls) != 1 {
		t.Errorf("the driver was asked %d times", len(calls))
	}
}

// TestE39ProtocolsOfADriver: one that is named twice does no harm; one that does
// not exist ends the sidecar with an error that names it.
func TestE39ProtocolsOfADriver(t *testing.T) {
	says := func(cl *testCluster, types ...cosiv1alpha2.ObjectProtocol_Type) {
		response := &cosiv1alpha2.DriverGetInfoResponse{Name: cl.driver.Name()}
		for _, protocol := range types {
			response.SupportedProtocols = append(response.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: protocol})
		}
		cl.driver.Answer("DriverGetInfo", response)
	}
	t.Run("twice", func(t *testing.T) {
		cl := newTestCluster(t)
		says(cl, cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_S3)
		cl.start()
		cl.readyBucket()
	})
	t.Run("unknown", func(t *testing.T) {
		cl := newTestCluster(t)
		says(cl, cosiv1alpha2.ObjectProtocol_UNKNOWN)
		if err := cl.fails(); err == nil || !strings.Contains(err.Error(), "UNKNOWN") || !strings.Contains(err.Error(), cl.driver.Name()) {
			t.Errorf("the error does not say which protocol, or whose: %v", err)
		}
	})
	t.Run("none", func(t *testing.T) {
		cl := newTestCluster(t)
		says(cl)
		if err := cl.fails(); err == nil || !strings.Contains(err.Error(), "at least one") {
			t.Errorf("the error does not say what is wrong: %v", err)
		}
	})
}

// TestE12AccessToABucketOfAnotherDriver: driver B must not be asked about an ID
// that driver A has named. The controller rejects it before; the sidecar does not
// rely on that.
func TestE12AccessToABucketOfAnotherDriver(t *testing.T) {
	a, b := newTestCluster(t), newTestCluster(t)
	a.start()
	b.start()
	access := b.access([]*v1alpha2.Bucket{a.readyBucket()})
	b.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
	b.settle()
	if got := b.driver.Methods(); len(got) != 1 { // DriverGetInfo
		t.Errorf("driver B was called: %v", got)
	}
}

// TestE16DevelopmentLog: a log line with an odd number of values panics in zap's
// development mode only, where no unit test had seen it. All of a life is logged
// here in that mode.
func TestE16DevelopmentLog(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.Logger = zap.New(zap.UseDevMode(true), zap.WriteTo(io.Discard), zap.Level(zapcore.Level(-5)))
	cl.driver.Script("DriverCreateBucket", flaky())
	cl.driver.Script("DriverGrantBucketAccess", flaky())
	cl.driver.Script("DriverRevokeBucketAccess", flaky())
	cl.driver.Script("DriverDeleteBucket", flaky())
	cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
}

// flaky fails the first time.
func flaky() drivertest.Script {
	var count atomic.Int64
	return func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		if count.Add(1) == 1 {
			return nil, status.Error(codes.Unavailable, "not now")
		}
		return next()
	}
}

// TestE70AlreadyExistsOnGrant: elsewhere the answer AlreadyExists was tolerated,
// and the response that did not come with it was read. It is final here, and
// nothing is written into the Secret.
// Design: CSI-ERR-11
func TestE70AlreadyExistsOnGrant(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGrantBucketAccess", codes.AlreadyExists, "there is another")
	cl.start()
	bucket := cl.readyBucket()
	cl.settle() // news of a Bucket is a reason to try again
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
	cl.settle()
	if calls := cl.driver.Calls("DriverGrantBucketAccess"); len(calls) != 1 {
		t.Errorf("%d calls, want one", len(calls))
	}
	if secret, err := cl.secret(access, 0); err != nil || len(secret.Data) > 0 {
		t.Errorf("Secret has %d keys (%v)", len(secret.Data), err)
	}
}

// TestE72SecretCannotBeDeleted: elsewhere the error was taken for success, and
// the access kept its finalizer forever. It is tried again here, and the access
// is not revoked before its Secret is gone.
func TestE72SecretCannotBeDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.Requests.Reject(http.MethodDelete, "/secrets/"+access.Spec.BucketClaims[0].AccessSecretName)
	cl.Must(cl.Delete(t.Context(), access))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
	if calls := cl.driver.Calls("DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Error("revoked while the Secret is still there")
	}
	cl.Requests.Intercept(nil)
	cl.isHandedBack(access)
}

// TestE56SecretGoneBeforeTheAccess: a Secret that is already gone counts as deleted.
func TestE56SecretGoneBeforeTheAccess(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	stop()
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	cl.Modify(secret, func() { secret.Finalizers = nil })
	cl.Must(cl.Delete(t.Context(), secret))
	cl.Must(cl.Delete(t.Context(), access))
	cl.start()
	cl.isHandedBack(access)
	if got := cl.driver.Accounts(); len(got) > 0 {
		t.Errorf("leaked: %v", got)
	}
}

// TestE52AccessThatWasNeverGranted can be deleted, and is not retried forever.
// Design: CSI-PUBLISH-3
func TestE52AccessThatWasNeverGranted(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGrantBucketAccess", codes.Internal, "never")
	cl.start()
	access := cl.access([]*v1alpha2.Bucket{cl.readyBucket()})
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	if calls := cl.driver.Calls("DriverRevokeBucketAccess"); len(calls) != 1 {
		t.Errorf("%d calls to revoke what may have been granted, want one", len(calls))
	}
}

// TestE54DeletedBucketIsNotRetried: a failing Bucket that is deleted is not
// retried.
func TestE54DeletedBucketIsNotRetried(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGenerateBucketId", codes.Internal, "never")
	cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	calls, _ := cl.settle()
	if more, _ := cl.settle(); more != calls {
		t.Errorf("a Bucket that is gone is still tried: %d calls, then %d", calls, more)
	}
}

// fails starts a sidecar that must not come up.
func (cl *testCluster) fails() error {
	cl.Helper()
	s, err := cosisidecar.New(cl.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	if err != nil {
		return err
	}
	cl.Start(s).Stop()
	cl.Error("the sidecar comes up")
	return nil
}
