package fakedriver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"net/url"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Azure exists for what COSI writes into Secrets, and for tests of that: no server
// answers it. The host of its endpoints is in a domain that can never exist, so
// that no token is sent to an account at Azure.
const azureDomain = ".blob.cosi-emu.invalid"

// azureVersion is the version of Azure's API that defines the form of the tokens.
const azureVersion = "2024-11-04"

// azureAccount derives a name as storage accounts have it, 3 to 24 letters and
// digits, from that of a bucket, which is a container in it.
func azureAccount(bucket string) string {
	const prefix, length = "cosi", 24
	digest := sha256.Sum256([]byte(bucket))
	return (prefix + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:])))[:length]
}

func azureBucketInfo(b Bucket) *cosiv1alpha2.AzureBucketInfo {
	return &cosiv1alpha2.AzureBucketInfo{StorageAccount: azureAccount(b.Name)}
}

// azureCredentials are a shared access signature: the URI of the container with
// what it may be used for, and a signature that the key gives. It ends with the
// account whose stored access policy it names, so it has no end of its own.
func azureCredentials(grant Grant, key Credentials) *cosiv1alpha2.AzureCredentialInfo {
	query := url.Values{
		"sv": {azureVersion}, "sr": {"c"}, "spr": {"https"}, "si": {key.AccessKeyID}, "sp": {azurePermissions(grant)},
	}
	resource := url.URL{Scheme: "https", Host: azureAccount(grant.Bucket) + azureDomain, Path: "/" + grant.Bucket}
	mac := hmac.New(sha256.New, []byte(key.SecretAccessKey))
	mac.Write([]byte(resource.String() + "?" + query.Encode()))
	query.Set("sig", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	resource.RawQuery = query.Encode()
	return &cosiv1alpha2.AzureCredentialInfo{AccessToken: resource.String()}
}

// azurePermissions are letters for what a grant allows: read and list, create,
// write and delete. Azure does not tell metadata from data.
func azurePermissions(grant Grant) string {
	switch grant.ObjectData {
	case ReadOnly:
		return "rl"
	case WriteOnly:
		return "cwd"
	case ReadWrite:
		return "rcwdl"
	default:
		return ""
	}
}

// checkAzureBuckets rejects what a shared access signature cannot do, as the KEP
// requires in its section on access to several buckets.
func checkAzureBuckets(protocol Protocol, grants []Grant) error {
	if protocol == ProtocolAzure && len(grants) > 1 {
		return status.Errorf(codes.OutOfRange, "%d buckets requested, but a shared access signature of Azure is for one bucket: "+
			"create a BucketAccess for each", len(grants))
	}
	return nil
}
