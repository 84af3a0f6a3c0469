package fakedriver

import (
	"net/url"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// azureDomain is that of the tokens of a driver without an AzureEndpoint. It can never
// exist, so that no token is sent to an account at Azure.
const azureDomain = ".blob.cosi-emu.invalid"

func azureBucketInfo(b Bucket) *cosiv1alpha2.AzureBucketInfo {
	return &cosiv1alpha2.AzureBucketInfo{StorageAccount: sas.Account(b.Name)}
}

// azureCredentials are a shared access signature: the URI of the container with
// what it may be used for, and a signature that the key gives. It names the stored access
// policy of the account, and ends with it, so it has no end of its own.
func (d *Driver) azureCredentials(grant Grant, key Credentials) *cosiv1alpha2.AzureCredentialInfo {
	container := d.azureContainer(grant.Bucket)
	protocols := "https"
	if container.Scheme == "http" {
		protocols = "https,http"
	}
	container.RawQuery = sas.Token(grant.Bucket, key.AccessKeyID, key.SecretAccessKey, azurePermissions(grant), protocols).Encode()
	return &cosiv1alpha2.AzureCredentialInfo{AccessToken: container.String()}
}

// azureContainer returns the URL of a container.
func (d *Driver) azureContainer(bucket string) *url.URL {
	if endpoint, err := url.Parse(d.options.AzureEndpoint); err == nil && d.options.AzureEndpoint != "" {
		return sas.Container(endpoint, bucket)
	}
	return &url.URL{Scheme: "https", Host: sas.Account(bucket) + azureDomain, Path: "/" + bucket}
}

// azurePermissions are letters for what a grant allows: read, add, create, write, delete,
// list and tags, in the order that Azure requires. Azure has no permissions for metadata,
// except tags: the service compares each request with the grant, too.
func azurePermissions(grant Grant) string {
	readsData, writesData := allowed(grant.ObjectData)
	readsMetadata, writesMetadata := allowed(grant.ObjectMetadata)
	readsContainer, _ := allowed(grant.BucketMetadata)
	var letters strings.Builder
	for _, permission := range []struct {
		letter  byte
		allowed bool
	}{
		{'r', readsData || readsMetadata || readsContainer && !writesData && !writesMetadata},
		{'a', writesData}, {'c', writesData}, {'w', writesData || writesMetadata}, {'d', writesData},
		{'l', readsData}, {'t', readsMetadata || writesMetadata},
	} {
		if permission.allowed {
			letters.WriteByte(permission.letter)
		}
	}
	return letters.String()
}

func allowed(mode AccessMode) (reads, writes bool) {
	return mode == ReadOnly || mode == ReadWrite, mode == WriteOnly || mode == ReadWrite
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
