package bridge

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// bucketInfo translates the info of a bucket. A driver that returns none has created
// what it was asked for.
func (b *Bridge) bucketInfo(
	name string, info *cosiv1alpha1.Protocol, wanted []*cosiv1alpha2.ObjectProtocol,
) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	s3 := &cosiv1alpha2.S3BucketInfo{BucketId: name, Region: info.GetS3().GetRegion()}
	azure := &cosiv1alpha2.AzureBucketInfo{StorageAccount: info.GetAzureBlob().GetStorageAccount()}
	switch info.GetType().(type) {
	case *cosiv1alpha1.Protocol_S3:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: s3}
	case *cosiv1alpha1.Protocol_AzureBlob:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: azure}
	case *cosiv1alpha1.Protocol_Gcs:
		gcs := info.GetGcs()
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{
			Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: gcs.GetProjectId(), BucketName: name},
		}
	}
	translated := &cosiv1alpha2.ObjectProtocolAndBucketInfo{}
	protocols := b.options.Protocols
	if len(wanted) > 0 {
		protocols = nil
		for _, protocol := range wanted {
			protocols = append(protocols, protocol.GetType())
		}
	}
	if slices.Contains(protocols, cosiv1alpha2.ObjectProtocol_S3) {
		translated.S3 = s3
	}
	if slices.Contains(protocols, cosiv1alpha2.ObjectProtocol_AZURE) {
		translated.Azure = azure
	}
	return translated
}

// granted translates the credentials of a grant. The name of the bucket, as
// applications know it, is the one that the driver was given, as in v1alpha1.
func (b *Bridge) granted(
	request *cosiv1alpha2.DriverGrantBucketAccessRequest, credentials map[string]*cosiv1alpha1.CredentialDetails,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	bucket := request.GetBuckets()[0].GetBucketId()
	_, name, err := existing(bucket)
	if err != nil {
		return nil, err
	}
	needsKey := request.GetAuthenticationType().GetType() == cosiv1alpha2.AuthenticationType_KEY
	info, typed := &cosiv1alpha2.ObjectProtocolAndBucketInfo{}, &cosiv1alpha2.CredentialInfo{}
	switch request.GetProtocol().GetType() {
	case cosiv1alpha2.ObjectProtocol_AZURE:
		info.Azure, typed.Azure, err = azureOf(credentials, needsKey)
	default:
		info.S3, typed.S3, err = b.s3Of(name, credentials, needsKey)
	}
	if err != nil {
		return nil, err
	}
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{{BucketId: bucket, BucketInfo: info}},
	}
	if needsKey {
		response.Credentials = typed
	}
	return response, nil
}

func (b *Bridge) s3Of(
	bucket string, credentials map[string]*cosiv1alpha1.CredentialDetails, needsKey bool,
) (*cosiv1alpha2.S3BucketInfo, *cosiv1alpha2.S3CredentialInfo, error) {
	values := credentials[cosiv1alpha1.CredentialsS3].GetSecrets()
	style := cosiv1alpha2.S3AddressingStyle_PATH
	if b.options.S3VirtualHosts {
		style = cosiv1alpha2.S3AddressingStyle_VIRTUAL
	}
	info := &cosiv1alpha2.S3BucketInfo{
		BucketId:        bucket,
		Endpoint:        cmp.Or(values[cosiv1alpha1.S3Endpoint], b.options.S3Endpoint),
		Region:          cmp.Or(values[cosiv1alpha1.S3Region], b.options.S3Region),
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: style},
	}
	if info.GetEndpoint() == "" {
		return nil, nil, lacks(credentials, cosiv1alpha1.CredentialsS3, cosiv1alpha1.S3Endpoint, "; start the bridge with --s3-endpoint")
	}
	for _, key := range []string{cosiv1alpha1.S3AccessKeyID, cosiv1alpha1.S3AccessSecretKey} {
		if needsKey && values[key] == "" {
			return nil, nil, lacks(credentials, cosiv1alpha1.CredentialsS3, key, "")
		}
	}
	return info, &cosiv1alpha2.S3CredentialInfo{
		AccessKeyId: values[cosiv1alpha1.S3AccessKeyID], AccessSecretKey: values[cosiv1alpha1.S3AccessSecretKey],
	}, nil
}

func azureOf(
	credentials map[string]*cosiv1alpha1.CredentialDetails, needsKey bool,
) (*cosiv1alpha2.AzureBucketInfo, *cosiv1alpha2.AzureCredentialInfo, error) {
	values := credentials[cosiv1alpha1.CredentialsAzure].GetSecrets()
	token := values[cosiv1alpha1.AzureAccessToken]
	if needsKey && token == "" {
		return nil, nil, lacks(credentials, cosiv1alpha1.CredentialsAzure, cosiv1alpha1.AzureAccessToken, "")
	}
	expiry, err := expiryOf(values[cosiv1alpha1.AzureExpiry])
	if err != nil {
		return nil, nil, err
	}
	return &cosiv1alpha2.AzureBucketInfo{StorageAccount: storageAccount(token)},
		&cosiv1alpha2.AzureCredentialInfo{AccessToken: token, ExpiryTimestamp: expiry}, nil
}

// expiryOf translates a time into ISO 8601.
func expiryOf(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	t, err := cosiv1alpha1.ParseAzureExpiry(value)
	if err != nil {
		return "", status.Errorf(codes.Internal, "the driver returned a bad time: %v", err)
	}
	return t.UTC().Format(time.RFC3339), nil
}

// storageAccount returns the first label of the host in a signed URL.
func storageAccount(token string) string {
	_, rest, found := strings.Cut(token, "://")
	if !found {
		return ""
	}
	account, _, _ := strings.Cut(rest, ".")
	return account
}

// lacks is the error for a value that applications need and the driver did not return.
// It names the keys that the driver did return, and none of their values.
func lacks(credentials map[string]*cosiv1alpha1.CredentialDetails, protocol, key, wayOut string) error {
	var got []string
	for _, name := range slices.Sorted(maps.Keys(credentials)) {
		for _, other := range slices.Sorted(maps.Keys(credentials[name].GetSecrets())) {
			got = append(got, name+"."+other)
		}
	}
	return status.Errorf(codes.Internal, "the driver returned no value for %s.%s, which applications need; it returned values for [%s]%s",
		protocol, key, strings.Join(got, " "), wayOut)
}
