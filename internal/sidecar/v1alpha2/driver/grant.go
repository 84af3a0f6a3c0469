package driver

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Grant is a driver's answer for a BucketAccess.
type Grant struct {
	// Buckets has the info of each bucket, by bucket ID. Only the field of the requested protocol
	// is set.
	Buckets map[string]*cosiv1alpha2.ObjectProtocolAndBucketInfo
	// Credentials has only the field of the requested protocol, or none if the authentication type
	// needs no credentials. It is secret.
	Credentials *cosiv1alpha2.CredentialInfo
}

// readGrant validates an answer to DriverGrantBucketAccess. It must have each requested bucket
// once, no other, and only the requested protocol.
func readGrant(response *cosiv1alpha2.DriverGrantBucketAccessResponse, access *v1alpha2.BucketAccess) (*Grant, error) {
	grant := &Grant{
		Buckets:     make(map[string]*cosiv1alpha2.ObjectProtocolAndBucketInfo, len(access.Status.AccessedBuckets)),
		Credentials: response.GetCredentials(),
	}
	for _, accessed := range access.Status.AccessedBuckets {
		grant.Buckets[accessed.BucketID] = nil
	}
	for _, bucket := range response.GetBuckets() {
		if err := grant.add(bucket, access.Spec.Protocol); err != nil {
			return nil, err
		}
	}
	for _, accessed := range access.Status.AccessedBuckets {
		if grant.Buckets[accessed.BucketID] == nil {
			return nil, connection.Invalid(grantBucketAccess, "bucket %s is missing", accessed.BucketID)
		}
	}
	if got := credentialProtocols(grant.Credentials); len(got) > 1 || len(got) == 1 && got[0] != access.Spec.Protocol {
		return nil, connection.Invalid(grantBucketAccess, "it has credentials for %v; they must be for %s", got, access.Spec.Protocol)
	}
	return grant, nil
}

func (g *Grant) add(bucket *cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo, wanted v1alpha2.Protocol) error {
	id := bucket.GetBucketId()
	known, requested := g.Buckets[id]
	switch protocols := SupportedProtocols(bucket.GetBucketInfo()); {
	case !requested:
		return connection.Invalid(grantBucketAccess, "it names bucket %q, which was not requested", id)
	case known != nil:
		return connection.Invalid(grantBucketAccess, "it names bucket %s twice", id)
	case len(protocols) != 1 || protocols[0] != wanted:
		return connection.Invalid(grantBucketAccess, "bucket %s has the protocols %v; it must have only %s", id, protocols, wanted)
	}
	g.Buckets[id] = bucket.GetBucketInfo()
	return nil
}

func credentialProtocols(credentials *cosiv1alpha2.CredentialInfo) []v1alpha2.Protocol {
	var protocols []v1alpha2.Protocol
	if credentials.GetS3() != nil {
		protocols = append(protocols, v1alpha2.ProtocolS3)
	}
	if credentials.GetAzure() != nil {
		protocols = append(protocols, v1alpha2.ProtocolAzure)
	}
	if credentials.GetGcs() != nil {
		protocols = append(protocols, v1alpha2.ProtocolGCS)
	}
	return protocols
}
