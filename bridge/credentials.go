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

// bucketInfo translates the info of a bucket. If a driver returns none, the bucket has the
// requested protocol.
func (d v1alpha1Driver) bucketInfo(request *cosiv1alpha2.DriverCreateBucketRequest, info *cosiv1alpha1.Protocol) *bucketInfo {
	name := request.GetBucketId()
	switch info.GetType().(type) {
	case *cosiv1alpha1.Protocol_S3:
		return &bucketInfo{S3: &cosiv1alpha2.S3BucketInfo{BucketId: name, Region: info.GetS3().GetRegion()}}
	case *cosiv1alpha1.Protocol_AzureBlob:
		return &bucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: info.GetAzureBlob().GetStorageAccount()}}
	case *cosiv1alpha1.Protocol_Gcs:
		return &bucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: info.GetGcs().GetProjectId(), BucketName: name}}
	}
	if len(request.GetProtocols()) == 0 {
		return infoOf(name, d.options.Protocols)
	}
	return infoOf(name, typesOf(request.GetProtocols()))
}

// infoOf is the info of a bucket of which no more is known than its name and protocols.
func infoOf(name string, protocols []cosiv1alpha2.ObjectProtocol_Type) *bucketInfo {
	info := &bucketInfo{}
	for _, protocol := range protocols {
		switch protocol {
		case cosiv1alpha2.ObjectProtocol_S3:
			info.S3 = &cosiv1alpha2.S3BucketInfo{BucketId: name}
		case cosiv1alpha2.ObjectProtocol_AZURE:
			info.Azure = &cosiv1alpha2.AzureBucketInfo{}
		case cosiv1alpha2.ObjectProtocol_GCS:
			info.Gcs = &cosiv1alpha2.GcsBucketInfo{BucketName: name}
		case cosiv1alpha2.ObjectProtocol_UNKNOWN:
		}
	}
	return info
}

func typesOf(protocols []*cosiv1alpha2.ObjectProtocol) []cosiv1alpha2.ObjectProtocol_Type {
	var types []cosiv1alpha2.ObjectProtocol_Type
	for _, protocol := range protocols {
		types = append(types, protocol.GetType())
	}
	return types
}

// granted translates the credentials of a grant. The name of the bucket, as
// applications know it, is the one that the driver was given, as in v1alpha1.
func (d v1alpha1Driver) granted(
	request *cosiv1alpha2.DriverGrantBucketAccessRequest, credentials map[string]*cosiv1alpha1.CredentialDetails,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	bucket := request.GetBuckets()[0].GetBucketId()
	_, name, err := existing(bucket)
	if err != nil {
		return nil, err
	}
	needsKey := request.GetAuthenticationType().GetType() == cosiv1alpha2.AuthenticationType_KEY
	info, typed := &bucketInfo{}, &cosiv1alpha2.CredentialInfo{}
	switch request.GetProtocol().GetType() {
	case cosiv1alpha2.ObjectProtocol_AZURE:
		info.Azure, typed.Azure, err = azureOf(credentials, needsKey)
	default:
		info.S3, typed.S3, err = d.s3Of(name, credentials, needsKey)
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

func (d v1alpha1Driver) s3Of(
	bucket string, credentials map[string]*cosiv1alpha1.CredentialDetails, needsKey bool,
) (*cosiv1alpha2.S3BucketInfo, *cosiv1alpha2.S3CredentialInfo, error) {
	values := credentials[cosiv1alpha1.CredentialsS3].GetSecrets()
	style := cosiv1alpha2.S3AddressingStyle_PATH
	if d.options.S3VirtualHosts {
		style = cosiv1alpha2.S3AddressingStyle_VIRTUAL
	}
	info := &cosiv1alpha2.S3BucketInfo{
		BucketId:        bucket,
		Endpoint:        cmp.Or(values[cosiv1alpha1.S3Endpoint], d.options.S3Endpoint),
		Region:          cmp.Or(values[cosiv1alpha1.S3Region], d.options.S3Region),
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
