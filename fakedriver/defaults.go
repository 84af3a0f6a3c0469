package fakedriver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// ValidateParameters returns an error unless all are valid driver parameters, with a name in
// BucketParameters or AccessParameters and an allowed value.
func ValidateParameters(parameters map[string]string) error {
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		one, known := map[string]string{name: parameters[name]}, false
		if slices.Contains(names(bucketParameters), name) {
			known, failed = true, append(failed, set(bucketParameters, one, new(BucketSpec)))
		}
		if slices.Contains(names(accessParameters), name) {
			known, failed = true, append(failed, set(accessParameters, one, new(accessSettings)))
		}
		if !known {
			failed = append(failed, fmt.Errorf("parameter %s is not known: the driver knows %s", quote(name), strings.Join(parameterNames(), ", ")))
		}
	}
	// Both lists reject a shared parameter with the same message.
	failed = slices.CompactFunc(failed, func(a, b error) bool { return a != nil && b != nil && a.Error() == b.Error() })
	return errors.Join(failed...)
}

// parameterNames are the sorted names of all parameters of a driver.
func parameterNames() []string {
	all := append(names(bucketParameters), names(accessParameters)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// bucketParameters are the parameters of a bucket: the class's, completed by the driver's.
// Parameters of the driver that the bucket's protocol does not support are left out.
func (d *Driver) bucketParameters(protocol Protocol, ofClass map[string]string) map[string]string {
	return d.completed(d.understood(ofClass, names(bucketParameters)), func(name string) bool {
		return slices.Contains(protocol.offered().parameters(), name)
	})
}

// accessParameters are the parameters of an account: the class's, completed by the driver's. An
// account without a key has none to rotate.
func (d *Driver) accessParameters(authentication cosiv1alpha2.AuthenticationType_Type, ofClass map[string]string) map[string]string {
	known := names(accessParameters)
	return d.completed(d.understood(ofClass, known), func(name string) bool {
		keyless := authentication == cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT
		return slices.Contains(known, name) && (name != ParameterRotateCredentials || !keyless)
	})
}

// completed adds suitable parameters of the driver to the class's. If none fit, it returns the
// class's unchanged, nil included: they are stored with the bucket.
func (d *Driver) completed(ofClass map[string]string, fits func(name string) bool) map[string]string {
	all := map[string]string{}
	for name, value := range d.options.Parameters {
		if fits(name) {
			all[name] = value
		}
	}
	if len(all) == 0 {
		return ofClass
	}
	maps.Copy(all, ofClass)
	return all
}
