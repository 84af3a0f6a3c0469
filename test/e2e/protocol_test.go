package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// The answers of a driver of all protocols.
const (
	sasToken   = "sv=2024&sig=sas-signature"
	hmacSecret = "hmac-secret-of-gcs"
)

func infoFor(protocol cosiv1alpha2.ObjectProtocol_Type, bucket string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	switch protocol {
	case cosiv1alpha2.ObjectProtocol_AZURE:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "storage-" + bucket}}
	case cosiv1alpha2.ObjectProtocol_GCS:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: "project", BucketName: "gcs-" + bucket}}
	default:
		return drivertest.S3Info(bucket)
	}
}

func credentialsFor(protocol cosiv1alpha2.ObjectProtocol_Type, account string) *cosiv1alpha2.CredentialInfo {
	switch protocol {
	case cosiv1alpha2.ObjectProtocol_AZURE:
		return &cosiv1alpha2.CredentialInfo{
			Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: sasToken, ExpiryTimestamp: "2030-01-02T03:04:05Z"},
		}
	case cosiv1alpha2.ObjectProtocol_GCS:
		return &cosiv1alpha2.CredentialInfo{Gcs: &cosiv1alpha2.GcsCredentialInfo{
			AccessId: "hmac-id", AccessSecret: hmacSecret, PrivateKeyName: "private-key", ServiceAccount: "backend-account",
		}}
	default:
		return &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{
			AccessKeyId: "key-of-" + account, AccessSecretKey: drivertest.SecretKey(account),
		}}
	}
}

// speakAll makes a driver serve all protocols: it answers by the one that it is
// asked for.
func speakAll(d *drivertest.Driver) {
	d.Answer("DriverGetInfo", &cosiv1alpha2.DriverGetInfoResponse{Name: d.Name(), SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{
		{Type: cosiv1alpha2.ObjectProtocol_S3}, {Type: cosiv1alpha2.ObjectProtocol_AZURE}, {Type: cosiv1alpha2.ObjectProtocol_GCS},
	}})
	d.Script("DriverCreateBucket", func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		asked, ok := request.(*cosiv1alpha2.DriverCreateBucketRequest)
		if !ok {
			return nil, fmt.Errorf("a request of type %T", request)
		}
		return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: infoFor(asked.GetProtocols()[0].GetType(), asked.GetBucketId())}, nil
	})
	d.Script("DriverGrantBucketAccess", func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		return answerGrant(request)
	})
}

// answerGrant is the answer of a driver of all protocols to DriverGrantBucketAccess.
func answerGrant(request proto.Message) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	asked, ok := request.(*cosiv1alpha2.DriverGrantBucketAccessRequest)
	if !ok {
		return nil, fmt.Errorf("a request of type %T", request)
	}
	protocol := asked.GetProtocol().GetType()
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: credentialsFor(protocol, asked.GetAccountId())}
	for _, bucket := range asked.GetBuckets() {
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: infoFor(protocol, bucket.GetBucketId()),
		})
	}
	return response, nil
}

// TestProtocols has an access by each protocol and each way to authenticate: the Secret has the keys
// of the KEP ("BucketAccess Secret data"), the Bucket's status has the keys that are not secret, and
// the claim names the protocol.
// KEP: CHANGE-8, FLOW-GRANT-4.10.2, API-BUCKET-STATUS-3, API-BUCKET-STATUS-4, GRPC-GRANT-5
// Known failure: E75
func TestProtocols(t *testing.T) {
	cl := newTestClusterWithoutSidecar(t)
	speakAll(cl.driver)
	cl.addSidecar(t, emulator.ComponentSidecar, cl.driver)
	byKey, byServiceAccount := v1alpha2.AuthenticationTypeKey, v1alpha2.AuthenticationTypeServiceAccount
	type data = map[string]string
	s3 := func(bucket string) data {
		return data{
			"COSI_PROTOCOL": "S3", "BUCKET_NAME": bucket, "AWS_ENDPOINT_URL": drivertest.S3Endpoint,
			"AWS_DEFAULT_REGION": drivertest.S3Region, "AWS_S3_ADDRESSING_STYLE": "path",
		}
	}
	azure := func(bucket string) data {
		return data{"COSI_PROTOCOL": "Azure", "AZURE_STORAGE_ACCOUNT": "storage-" + bucket}
	}
	gcs := func(bucket string) data {
		return data{"COSI_PROTOCOL": "GCS", "PROJECT_ID": "project", "BUCKET_NAME": "gcs-" + bucket}
	}
	for _, tc := range []struct {
		protocol       v1alpha2.Protocol
		authentication v1alpha2.AuthenticationType
		info           func(bucket string) data
		credentials    func(account string) data
	}{
		{v1alpha2.ProtocolS3, byKey, s3, func(account string) data {
			return data{"AWS_ACCESS_KEY_ID": "key-of-" + account, "AWS_SECRET_ACCESS_KEY": drivertest.SecretKey(account)}
		}},
		{v1alpha2.ProtocolS3, byServiceAccount, s3, func(string) data { return nil }},
		{v1alpha2.ProtocolAzure, byKey, azure, func(string) data {
			return data{"AZURE_STORAGE_SAS_TOKEN": sasToken, "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP": "2030-01-02T03:04:05Z"}
		}},
		{v1alpha2.ProtocolAzure, byServiceAccount, azure, func(string) data { return nil }},
		{v1alpha2.ProtocolGCS, byKey, gcs, func(string) data { return data{"HMAC_ACCESS_ID": "hmac-id", "HMAC_SECRET": hmacSecret} }},
		{v1alpha2.ProtocolGCS, byServiceAccount, gcs, func(string) data {
			return data{"PRIVATE_KEY_ID": "private-key", "SERVICE_ACCOUNT_NAME": "backend-account"}
		}},
	} {
		t.Run(string(tc.protocol)+"/"+string(tc.authentication), func(t *testing.T) {
			cl := cl.inNamespace(t)
			claim, access := cl.claim("data"), cl.access("app", "data")
			claim.Spec.Protocols = []v1alpha2.Protocol{tc.protocol}
			access.Spec.Protocol, access.Spec.ServiceAccountName = tc.protocol, "worker"
			cl.Make(cl.bucketClass(), claim, access, cl.accessClass(func(class *v1alpha2.BucketAccessClass) {
				class.Spec.AuthenticationType = tc.authentication
			}))
			cl.WaitReady(claim, access)
			info := tc.info(bucketID(claim))
			all := maps.Clone(info)
			maps.Copy(all, tc.credentials(accountID(access)))
			cl.expectSecret(access, 0, all)
			bucket := bucketOf(claim)
			cl.WaitReady(bucket)
			if diff := cmp.Diff(info, bucket.Status.BucketInfo); diff != "" {
				t.Errorf("status.bucketInfo (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]v1alpha2.Protocol{tc.protocol}, claim.Status.Protocols); diff != "" {
				t.Errorf("the claim's status.protocols (-want +got):\n%s", diff)
			}
		})
	}
}
