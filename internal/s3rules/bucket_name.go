package s3rules

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// BucketName returns the violation of the naming rules for general purpose buckets in the S3 User
// Guide; nil without one.
func BucketName(name string) *Violation {
	subject := fmt.Sprintf("bucket name %.100q", name)
	switch {
	case !bucketName.MatchString(name):
		return violation(subject, "it must have 3 to 63 characters of a-z, 0-9, '.' and '-', and begin and end with a letter or digit")
	case strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-."):
		return violation(subject, "no '.' may stand beside another or beside '-'")
	case isAddress(name):
		return violation(subject, "it looks like an IP address")
	case isReserved(name):
		return violation(subject, "S3 reserves its prefix or suffix")
	}
	return nil
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

func isReserved(name string) bool {
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", "--x-s3", "--table-s3", ".mrap"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
