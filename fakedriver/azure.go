package fakedriver

import (
	"net/url"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// azureDomain is the domain of tokens without an AzureEndpoint. It can never exist, so no token is
// sent to an account at Azure.
const azureDomain = ".blob.cosi-emu.invalid"

// azureProtocol implements objectProtocol.
type azureProtocol struct{}

func (azureProtocol) protocol() Protocol { return ProtocolAzure }

func (azureProtocol) wireType() cosiv1alpha2.ObjectProtocol_Type {
	return cosiv1alpha2.ObjectProtocol_AZURE
}

func (azureProtocol) parameters() []string {
	return []string{
		ParameterIgnoreUnknown, ParameterMaxAccounts, ParameterNonEmptyDeletion, ParameterNote, ParameterQuotaBytes, ParameterQuotaObjects,
	}
}

func (azureProtocol) serviceAccounts() bool { return false }

// checkBuckets rejects several buckets, which a shared access signature cannot have, as the
// KEP requires in its section on access to several buckets.
func (azureProtocol) checkBuckets(grants []Grant) error {
	if len(grants) > 1 {
		return status.Errorf(codes.OutOfRange, "%d buckets requested, but a shared access signature of Azure is for one bucket: "+
			"create a BucketAccess for each", len(grants))
	}
	return nil
}

func (azureProtocol) bucketInfo(_ *Driver, b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: sas.Account(b.Name)}}
}

// credentialInfo returns a shared access signature: the URI of the container with its permissions,
// and a signature by the key. It names the stored access policy of the account, which ends with the
// account, so it has no expiry of its own.
func (azureProtocol) credentialInfo(d *Driver, grants []Grant, key Credentials) *cosiv1alpha2.CredentialInfo {
	grant := grants[0]
	container := d.azureContainer(grant.Bucket)
	protocols := "https"
	if container.Scheme == "http" {
		protocols = "https,http"
	}
	container.RawQuery = sas.Token(grant.Bucket, key.AccessKeyID, key.SecretAccessKey, azurePermissions(grant), protocols).Encode()
	return &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: container.String()}}
}

func (d *Driver) azureContainer(bucket string) *url.URL {
	if endpoint, err := url.Parse(d.options.AzureEndpoint); err == nil && d.options.AzureEndpoint != "" {
		return sas.Container(endpoint, bucket)
	}
	return &url.URL{Scheme: "https", Host: sas.Account(bucket) + azureDomain, Path: "/" + bucket}
}

// azurePermissions are the letters for the permissions of a grant: read, add, create, write,
// delete, list, tags and filter by tags, in the order that Azure requires. Azure has no permissions for metadata,
// except tags, so the service also compares each request with the grant.
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
		{'l', readsData}, {'t', readsMetadata || writesMetadata}, {'f', readsData},
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
