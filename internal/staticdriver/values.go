package staticdriver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// ParameterAccessMode is the parameter of a BucketAccessClass for the mode of the credentials in its Secret: ReadWrite, which is
// the default, ReadOnly or WriteOnly.
const ParameterAccessMode = "accessMode"

// Default values. The addressing style path works at every provider.
const (
	DefaultRegion          = "us-east-1"
	defaultAddressingStyle = v1alpha2.S3AddressingStylePath
)

// addressParameters are the values that a class or a static Bucket may have in its parameters, under the names that they have in
// the Secret.
var addressParameters = []string{
	v1alpha2.SecretKeyS3Region, v1alpha2.SecretKeyS3Endpoint, v1alpha2.SecretKeyS3AddressingStyle,
	v1alpha2.SecretKeyAzureStorageAccount, v1alpha2.SecretKeyGCSProjectID,
}

// credentialKeys are keys of the Secret, and never parameters: all users who may read classes can read those.
var credentialKeys = []string{
	v1alpha2.SecretKeyS3AccessKeyID, v1alpha2.SecretKeyS3SecretAccessKey,
	v1alpha2.SecretKeyAzureSASToken, v1alpha2.SecretKeyAzureSASTokenExpires,
	v1alpha2.SecretKeyGCSHMACAccessID, v1alpha2.SecretKeyGCSHMACSecret,
}

// values are what an administrator has given for a call.
type values struct {
	parameters, secret map[string]string
}

// valuesOf returns the values for a call. It rejects unknown parameters.
func valuesOf(ctx context.Context, parameters map[string]string, known []string) (values, error) {
	secret, err := secretparameters.FromIncomingContext(ctx)
	if err != nil {
		return values{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		switch {
		case slices.Contains(known, name):
		case slices.Contains(credentialKeys, name):
			return values{}, invalid("parameter %s is a credential: put it into the Secret that the class names", name)
		case strings.HasPrefix(name, secretparameters.Prefix):
			return values{}, invalid("parameter %s is for the sidecar: start it with --secret-parameters-from=%s",
				name, cmp.Or(parameters[secretparameters.Namespace], "NAMESPACE"))
		default:
			return values{}, invalid("parameter %q is unknown: the driver knows %s", name, strings.Join(known, ", "))
		}
	}
	return values{parameters: parameters, secret: secret}, nil
}

// get returns a value, which is empty if there is none. A parameter takes precedence over the Secret.
func (v values) get(key string) string { return cmp.Or(v.parameters[key], v.secret[key]) }

// require returns an error unless all keys have values.
func (v values) require(keys ...string) error {
	missing := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return v.get(key) != "" })
	switch {
	case len(missing) == 0:
		return nil
	case v.secret == nil:
		return invalid("there are no values for %s: name a Secret with these keys in the parameters %s and %s of the BucketAccessClass, "+
			"and start the sidecar with --secret-parameters-from", strings.Join(missing, ", "), secretparameters.Name, secretparameters.Namespace)
	default:
		return incomplete("the Secret that the BucketAccessClass names has no values for %s: add these keys", strings.Join(missing, ", "))
	}
}
