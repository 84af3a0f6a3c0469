package v1alpha2

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// CheckDriverName returns an error that says why no driver can have a name. It
// holds a name to RFC 1035, label by label. The API allows more in a class or a
// Bucket, but a driver that called itself so would be a different one for tools
// that fold letter case.
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
