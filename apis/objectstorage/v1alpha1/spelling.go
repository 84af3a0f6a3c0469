package v1alpha1

import "strings"

// The CRDs of v1alpha1 accept any string, and COSI v0.2 compares few of them. Published manifests
// depend on that. All readers of these fields compare them by this table, which describes the
// controller and the sidecar of v0.2.2:
//
//	field                           v0.2 compares with   by             any other value
//	driverName                      the driver's name    EqualFold      is another driver's
//	authenticationType              Key, IAM             ==             reaches the driver as unknown
//	deletionPolicy                  Delete               ==             retains the bucket
//	protocol, protocols             nothing                             is copied into BucketInfo
//	credentials of the driver       s3, azure            ==             stay out of BucketInfo
//	existingBucketName              ""                   ==             wins over bucketClassName
//
// The functions below compare by this table.

// IsDriver reports whether a driverName of an object is the name of a driver.
func IsDriver(written, name string) bool { return strings.EqualFold(written, name) }

// Canonical returns the protocol of a spelling. Letter case does not matter, and GCS, the name in
// the documents of v1alpha1, is GCP. For any other protocol it returns false.
func (p Protocol) Canonical() (Protocol, bool) {
	switch strings.ToUpper(string(p)) {
	case "S3":
		return ProtocolS3, true
	case "AZURE":
		return ProtocolAzure, true
	case "GCP", "GCS":
		return ProtocolGCP, true
	default:
		return "", false
	}
}

// Equal reports whether two spellings mean the same protocol.
func (p Protocol) Equal(other Protocol) bool {
	meant, known := p.Canonical()
	others, _ := other.Canonical()
	return p == other || known && meant == others
}

// IsKnown reports whether the request to a driver can express the type.
func (t AuthenticationType) IsKnown() bool {
	return t == AuthenticationTypeKey || t == AuthenticationTypeIAM
}

// IsKnown reports whether it is one of the two policies. Any other retains the bucket.
func (d DeletionPolicy) IsKnown() bool {
	return d == DeletionPolicyRetain || d == DeletionPolicyDelete
}
