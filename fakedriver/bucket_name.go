package fakedriver

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ValidateBucketName returns an error of kind [ErrInvalid] if a name violates the naming rules for
// general purpose buckets in the S3 User Guide.
func ValidateBucketName(name string) error {
	switch {
	case !bucketName.MatchString(name):
		return fmt.Errorf("bucket name %.100q %w: it must have 3 to 63 characters of a-z, 0-9, '.' and '-', "+
			"and begin and end with a letter or digit", name, ErrInvalid)
	case strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-."):
		return fmt.Errorf("bucket name %q %w: no '.' may stand beside another or beside '-'", name, ErrInvalid)
	case isAddress(name):
		return fmt.Errorf("bucket name %q %w: it looks like an IP address", name, ErrInvalid)
	case isReserved(name):
		return fmt.Errorf("bucket name %q %w: S3 reserves its prefix or suffix", name, ErrInvalid)
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
