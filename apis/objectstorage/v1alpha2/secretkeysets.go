package v1alpha2

import (
	"fmt"
	"strings"
)

// SecretKeySet is a set of keys for the values of an access Secret.
type SecretKeySet string

const (
	// SecretKeysKEP are the keys of the KEP, such as AWS_ENDPOINT_URL.
	SecretKeysKEP SecretKeySet = "kep"
	// SecretKeysCOSI are the keys of earlier drafts, such as COSI_S3_ENDPOINT, which public
	// components write and applications read.
	SecretKeysCOSI SecretKeySet = "cosi"
)

// draftKeys are the keys of SecretKeysCOSI by protocol and key of the KEP. Both sets share
// COSI_PROTOCOL and COSI_CERTIFICATE_AUTHORITY.
//
//nolint:gosec // names of keys, no credentials
var draftKeys = map[Protocol]map[string]string{
	ProtocolS3: {
		SecretKeyBucketName:        "COSI_S3_BUCKET_ID",
		SecretKeyS3Endpoint:        "COSI_S3_ENDPOINT",
		SecretKeyS3Region:          "COSI_S3_REGION",
		SecretKeyS3AddressingStyle: "COSI_S3_ADDRESSING_STYLE",
		SecretKeyS3AccessKeyID:     "COSI_S3_ACCESS_KEY_ID",
		SecretKeyS3SecretAccessKey: "COSI_S3_ACCESS_SECRET_KEY",
	},
	ProtocolAzure: {
		SecretKeyAzureStorageAccount:  "COSI_AZURE_STORAGE_ACCOUNT",
		SecretKeyAzureSASToken:        "COSI_AZURE_ACCESS_TOKEN",
		SecretKeyAzureSASTokenExpires: "COSI_AZURE_EXPIRY_TIMESTAMP",
	},
	ProtocolGCS: {
		SecretKeyBucketName:        "COSI_GCS_BUCKET_NAME",
		SecretKeyGCSProjectID:      "COSI_GCS_PROJECT_ID",
		SecretKeyGCSHMACAccessID:   "COSI_GCS_ACCESS_ID",
		SecretKeyGCSHMACSecret:     "COSI_GCS_ACCESS_SECRET",
		SecretKeyGCSPrivateKeyID:   "COSI_GCS_PRIVATE_KEY_NAME",
		SecretKeyGCSServiceAccount: "COSI_GCS_SERVICE_ACCOUNT",
	},
}

// DraftSecretKeys maps the KEP's keys of a protocol to the keys of SecretKeysCOSI. The map
// must not be changed.
func DraftSecretKeys(protocol Protocol) map[string]string { return draftKeys[protocol] }

// Validate returns an error for an unknown set.
func (s SecretKeySet) Validate() error {
	if s != SecretKeysKEP && s != SecretKeysCOSI {
		return fmt.Errorf("unknown set of Secret keys %q: it must be %s or %s", string(s), SecretKeysKEP, SecretKeysCOSI)
	}
	return nil
}

// ParseSecretKeySets reads a list such as "kep,cosi", which must not be empty.
func ParseSecretKeySets(list string) ([]SecretKeySet, error) {
	var sets []SecretKeySet
	for name := range strings.SplitSeq(list, ",") {
		set := SecretKeySet(strings.TrimSpace(name))
		if err := set.Validate(); err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}
