package cosi

import (
	"fmt"
	"strings"
	"time"
)

// The keys of DriverGrantBucketAccessResponse.credentials.
const (
	CredentialsS3    = "s3"
	CredentialsAzure = "azure"
)

// The keys of CredentialDetails.secrets.
const (
	S3AccessKeyID     = "accessKeyID"
	S3AccessSecretKey = "accessSecretKey"
	S3Endpoint        = "endpoint"
	S3Region          = "region"
	AzureAccessToken  = "accessToken"
	AzureExpiry       = "expiryTs"
	AzureExpiryFormat = "2006-01-02 15:04:05.999999999 -0700 MST" // of AzureExpiry, for package time
)

// IsSecretKey reports whether the value of a key of CredentialDetails.secrets is secret. Only
// values that the protocol defines as public are not.
func IsSecretKey(key string) bool {
	switch key {
	case S3AccessKeyID, S3Endpoint, S3Region, AzureExpiry:
		return false
	default:
		return true
	}
}

// IsKnownKey reports whether the protocol defines a key of CredentialDetails.secrets.
func IsKnownKey(key string) bool {
	return key == S3AccessSecretKey || key == AzureAccessToken || !IsSecretKey(key)
}

// ParseAzureExpiry returns the time of a value of AzureExpiry. Drivers also write ISO 8601, and
// times with the suffix of Go's monotonic clock.
func ParseAzureExpiry(value string) (time.Time, error) {
	value, _, _ = strings.Cut(value, " m=") // suffix of Go's monotonic clock
	for _, layout := range []string{AzureExpiryFormat, time.RFC3339} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s %q is neither like %q nor ISO 8601", AzureExpiry, value, AzureExpiryFormat)
}
