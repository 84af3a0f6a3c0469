package v1alpha2

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// CheckDriverName returns an error for an invalid driver name. Each label must follow RFC 1035. The
// API allows more in a class or a Bucket, but tools that ignore letter case would confuse such
// drivers.
func CheckDriverName(name string) error {
	if name == "" {
		return errors.New("it is empty")
	}
	if len(name) > DriverNameMaxLength {
		return fmt.Errorf("it is %d characters long; the limit is %d", len(name), DriverNameMaxLength)
	}
	for label := range strings.SplitSeq(name, ".") {
		if problems := validation.IsDNS1035Label(label); len(problems) > 0 {
			return fmt.Errorf("%q is not a lower-case DNS name: part %q: %s", name, label, problems[0])
		}
	}
	return nil
}
