package secret

import (
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// BucketInfo renders Bucket.status.bucketInfo. It contains no secrets, and omits values that the
// driver left empty.
//
// For a bucket with several protocols, COSI_PROTOCOL lists all in the given order, separated by
// commas. S3 and GCS share BUCKET_NAME, which has S3's value.
func BucketInfo(info *cosiv1alpha2.ObjectProtocolAndBucketInfo, protocols []v1alpha2.Protocol) (map[string]string, error) {
	names := make([]string, 0, len(protocols))
	fields := fields{}
	for _, protocol := range protocols {
		names = append(names, string(protocol))
		for key, value := range bucketFields(protocol, info) {
			if _, taken := fields[key]; !taken {
				fields[key] = value
			}
		}
	}
	fields[v1alpha2.SecretKeyProtocol] = required(strings.Join(names, ","))
	if err := fields.check(false); err != nil {
		return nil, err
	}
	return fields.present(), nil
}

// Access is the input for an access Secret. Info and credentials are the driver's, for
// this protocol.
type Access struct {
	Protocol       v1alpha2.Protocol
	Authentication v1alpha2.AuthenticationType
	Info           *cosiv1alpha2.ObjectProtocolAndBucketInfo
	Credentials    *cosiv1alpha2.CredentialInfo
	// CertificateAuthority, in PEM, is for applications to verify the endpoint; empty if they need
	// none.
	CertificateAuthority string
	// Keys are the sets of keys of the Secret. Empty means the KEP's.
	Keys []v1alpha2.SecretKeySet
}

// Data renders the data of an access Secret: everything that an application needs for one bucket.
// An empty field that the protocol and the authentication type require is an error.
func (a Access) Data() (map[string][]byte, error) {
	fields := bucketFields(a.Protocol, a.Info)
	fields[v1alpha2.SecretKeyProtocol] = required(string(a.Protocol))
	maps.Copy(fields, credentialFields(a.Protocol, a.Authentication, a.Credentials))
	if err := fields.check(true); err != nil {
		return nil, err
	}
	data := make(map[string][]byte, len(fields))
	drafts := v1alpha2.DraftSecretKeys(a.Protocol)
	hasDraft := slices.Contains(a.Keys, v1alpha2.SecretKeysCOSI)
	hasKEP := len(a.Keys) == 0 || slices.Contains(a.Keys, v1alpha2.SecretKeysKEP)
	for key, value := range fields.present() {
		draft, found := drafts[key]
		if found && hasDraft {
			data[draft] = []byte(value)
		}
		if !found || hasKEP {
			data[key] = []byte(value)
		}
	}
	if a.CertificateAuthority != "" {
		data[v1alpha2.SecretKeyCertificateAuthority] = []byte(a.CertificateAuthority)
	}
	return data, nil
}

func bucketFields(protocol v1alpha2.Protocol, info *cosiv1alpha2.ObjectProtocolAndBucketInfo) fields {
	switch protocol {
	case v1alpha2.ProtocolS3:
		return s3BucketFields(info.GetS3())
	case v1alpha2.ProtocolAzure:
		return azureBucketFields(info.GetAzure())
	case v1alpha2.ProtocolGCS:
		return gcsBucketFields(info.GetGcs())
	default:
		return fields{}
	}
}

func credentialFields(
	protocol v1alpha2.Protocol, authentication v1alpha2.AuthenticationType, credentials *cosiv1alpha2.CredentialInfo,
) fields {
	byKey := authentication == v1alpha2.AuthenticationTypeKey
	switch {
	case protocol == v1alpha2.ProtocolS3 && byKey:
		return s3KeyFields(credentials.GetS3())
	case protocol == v1alpha2.ProtocolAzure && byKey:
		return azureKeyFields(credentials.GetAzure())
	case protocol == v1alpha2.ProtocolGCS && byKey:
		return gcsKeyFields(credentials.GetGcs())
	case protocol == v1alpha2.ProtocolGCS:
		return gcsServiceAccountFields(credentials.GetGcs())
	default:
		return fields{}
	}
}
