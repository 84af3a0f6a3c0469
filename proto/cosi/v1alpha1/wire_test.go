package cosi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Spec: A1-RPC-3, A1-PROTO-2
func TestWire(t *testing.T) {
	want := []string{
		"/cosi.v1alpha1.Identity/DriverGetInfo",
		"/cosi.v1alpha1.Provisioner/DriverCreateBucket",
		"/cosi.v1alpha1.Provisioner/DriverDeleteBucket",
		"/cosi.v1alpha1.Provisioner/DriverGrantBucketAccess",
		"/cosi.v1alpha1.Provisioner/DriverRevokeBucketAccess",
		"S3SignatureVersion UnknownSignature=0 S3V2=1 S3V4=2",
		"AnonymousBucketAccessMode UnknownBucketAccessMode=0 Private=1 ReadOnly=2 WriteOnly=3 ReadWrite=4",
		"AuthenticationType UnknownAuthenticationType=0 Key=1 IAM=2",
		"S3 string region=1 enum signature_version=2",
		"AzureBlob string storage_account=1",
		"GCS string private_key_name=1 string project_id=2 string service_account=3",
		"Protocol message s3=1 message azureBlob=2 message gcs=3",
		"CredentialDetails map secrets=1",
		"DriverGetInfoRequest",
		"DriverGetInfoResponse string name=1",
		"DriverCreateBucketRequest string name=1 map parameters=2",
		"DriverCreateBucketResponse string bucket_id=1 message bucket_info=2",
		"DriverDeleteBucketRequest string bucket_id=1 map delete_context=2",
		"DriverDeleteBucketResponse",
		"DriverGrantBucketAccessRequest string bucket_id=1 string name=2 enum authentication_type=3 map parameters=4",
		"DriverGrantBucketAccessResponse string account_id=1 map credentials=2",
		"DriverRevokeBucketAccessRequest string bucket_id=1 string account_id=2 map revoke_access_context=3",
		"DriverRevokeBucketAccessResponse",
	}
	if diff := cmp.Diff(want, describe(File_cosi_v1alpha1_cosi_proto)); diff != "" {
		t.Errorf("the protocol on the wire (-want +got):\n%s", diff)
	}
}

// describe lists the parts of a file that go over the wire.
func describe(file protoreflect.FileDescriptor) []string {
	var lines []string
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		for j := range service.Methods().Len() {
			lines = append(lines, fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(j).Name()))
		}
	}
	for i := range file.Enums().Len() {
		enum := file.Enums().Get(i)
		words := []string{string(enum.Name())}
		for j := range enum.Values().Len() {
			words = append(words, fmt.Sprintf("%s=%d", enum.Values().Get(j).Name(), enum.Values().Get(j).Number()))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	for i := range file.Messages().Len() {
		message := file.Messages().Get(i)
		words := []string{string(message.Name())}
		for j := range message.Fields().Len() {
			field := message.Fields().Get(j)
			kind := field.Kind().String()
			if field.IsMap() {
				kind = "map"
			}
			words = append(words, fmt.Sprintf("%s %s=%d", kind, field.Name(), field.Number()))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}
