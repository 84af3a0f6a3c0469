package sidecar_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestRenewal has a driver for Azure, whose tokens are valid for a second. The sidecar asks for another token, after its
// shortest time between two grants, and writes it into the Secret; the access stays ready.
func TestRenewal(t *testing.T) {
	t.Parallel()
	cl := newTestCluster(t)
	info := &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "account"}}
	cl.driver.Answer("DriverGetInfo", &cosiv1alpha2.DriverGetInfoResponse{
		Name: cl.driver.Name(), SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_AZURE}},
	})
	cl.driver.Answer("DriverCreateBucket", &cosiv1alpha2.DriverCreateBucketResponse{Protocols: info})
	var grants int
	cl.driver.Script("DriverGrantBucketAccess", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		answer, err := next()
		response, ok := answer.(*cosiv1alpha2.DriverGrantBucketAccessResponse)
		if err != nil || !ok {
			return answer, err
		}
		grants++ // the sidecar has one grant of an access at a time
		response.Credentials = &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{
			AccessToken: fmt.Sprintf("token-%d", grants), ExpiryTimestamp: time.Now().Add(time.Second).UTC().Format(time.RFC3339),
		}}
		for _, bucket := range response.GetBuckets() {
			bucket.BucketInfo = info
		}
		return response, nil
	})
	cl.start()
	azure := []v1alpha2.Protocol{v1alpha2.ProtocolAzure}
	bucket := cl.readyBucket(func(b *v1alpha2.Bucket) { b.Spec.Protocols = azure })
	access := cl.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) { a.Spec.Protocol = v1alpha2.ProtocolAzure })
	cl.WaitReady(access)
	for _, want := range []string{"token-1", "token-2"} {
		harness.Eventually(t, "the Secret has "+want, func(context.Context) error {
			secret, err := cl.secret(access, 0)
			if got := string(secret.Data[v1alpha2.SecretKeyAzureSASToken]); err == nil && got != want {
				return fmt.Errorf("it has %q", got)
			}
			return err
		})
	}
	cl.Must(cl.isGranted(access))
}
