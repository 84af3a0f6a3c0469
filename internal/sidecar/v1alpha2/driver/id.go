package driver

import (
	"regexp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

var idPattern = regexp.MustCompile(v1alpha2.IDPattern)

// checkID validates an ID that the driver has generated. The API server would always
// reject an invalid one.
func checkID(method, kind, id string) error {
	switch {
	case id == "":
		return connection.Invalid(method, "it has no %s", kind)
	case len(id) > v1alpha2.IDMaxLength:
		return connection.Invalid(method, "the %s is %d characters long; the limit is %d", kind, len(id), v1alpha2.IDMaxLength)
	case !idPattern.MatchString(id):
		return connection.Invalid(method, "the %s %q has characters other than letters, digits, '-', '.', '_' and '/'", kind, id)
	}
	return nil
}
