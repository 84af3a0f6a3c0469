package sidecar_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// as has a method do its work, and then return a message of v1alpha1.
func as(response proto.Message) drivertest.Script {
	return func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		return response, nil
	}
}

// TestResponsesOfV1alpha1: a driver registers the services of v1alpha2 and returns the messages of
// v1alpha1. Each is a clear error without secrets, and nothing is lost: once the driver is fixed,
// its buckets and accounts become ready, and are deleted.
func TestResponsesOfV1alpha1(t *testing.T) {
	t.Run("DriverGetInfo", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.driver.Answer("DriverGetInfo", &cosiv1alpha1.DriverGetInfoResponse{Name: cl.driver.Name()})
		if err := cl.fails(); err == nil || !strings.Contains(err.Error(), "no protocol") {
			t.Errorf("the error does not say what is wrong: %v", err)
		}
	})
	created := map[string]struct{ id, reason, says string }{
		"Unreadable": {"photos", v1alpha2.ReasonDriverError, "failed with Internal"},
		"Readable":   {"arn:old:x", v1alpha2.ReasonInvalidDriverResponse, "answer to DriverCreateBucket is invalid"},
	}
	for name, tc := range created {
		t.Run("DriverCreateBucket"+name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Script("DriverCreateBucket", as(&cosiv1alpha1.DriverCreateBucketResponse{BucketId: tc.id}))
			stop := cl.start()
			bucket := cl.bucket()
			message := cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, tc.reason)
			if !strings.Contains(message, tc.says) {
				t.Errorf("the condition says %q, want %q", message, tc.says)
			}
			stop()
			cl.driver.Script("DriverCreateBucket", nil)
			cl.start()
			cl.WaitReady(bucket)
			cl.releaseClaim(bucket)
			cl.Must(cl.Delete(t.Context(), bucket))
			cl.WaitGone(bucket)
			if left := cl.driver.Buckets(); len(left) > 0 {
				t.Errorf("left in the backend: %v", left)
			}
		})
	}
	t.Run("DriverGrantBucketAccess", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.driver.Script("DriverGrantBucketAccess", as(&cosiv1alpha1.DriverGrantBucketAccessResponse{
			AccountId: "user:1", Credentials: map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: map[string]string{
				cosiv1alpha1.S3AccessKeyID: "AKIA", cosiv1alpha1.S3AccessSecretKey: "secretword", cosiv1alpha1.S3Endpoint: "https://s3.test",
			}}},
		}))
		stop := cl.start()
		access := cl.access([]*v1alpha2.Bucket{cl.readyBucket()})
		message := cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonInvalidDriverResponse)
		if !strings.Contains(message, "DriverGrantBucketAccess") || strings.Contains(message, "secretword") {
			t.Errorf("the condition says %q, want the call and no secret", message)
		}
		stop()
		cl.driver.Script("DriverGrantBucketAccess", nil)
		cl.start()
		cl.WaitReady(access)
		cl.Must(cl.Delete(t.Context(), access))
		cl.isHandedBack(access)
		if left := cl.driver.Accounts(); len(left) > 0 {
			t.Errorf("left in the backend: %v", left)
		}
	})
}
