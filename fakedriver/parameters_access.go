package fakedriver

import cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"

// ParameterRotateCredentials is a parameter of BucketAccessClasses. With "true", every grant
// creates a new key and revokes the old one. COSI grants again when the Secret of an access is
// deleted, so users rotate a key by deleting the Secret.
const ParameterRotateCredentials = "rotateCredentials" //nolint:gosec // no credential, the name of a parameter

// accessSettings are read from the parameters of a BucketAccessClass.
type accessSettings struct{ rotate bool }

//nolint:lll // one parameter a few lines
var accessParameters = []parameter[accessSettings]{
	{Parameter{ParameterIgnoreUnknown, "true or false", "Whether parameters that the driver does not know have no effect, as for a class of another driver. Otherwise they are rejected."},
		func(_ *accessSettings, value string) error { return checkIgnoreUnknown(value) }},
	{Parameter{ParameterNote, "a text of at most 256 bytes", "None; it is stored with the account."},
		func(_ *accessSettings, value string) error { return checkNote(value) }},
	{Parameter{
		ParameterRotateCredentials, "true or false", "Whether every grant creates a new key and revokes the old one, so that deleting the access's Secret rotates its key.",
	},
		func(settings *accessSettings, value string) (err error) {
			settings.rotate, err = oneOf(map[string]bool{"true": true, "false": false}, value)
			return err
		}},
}

// AccessParameters returns the parameters of BucketAccessClasses, sorted by name.
func AccessParameters() []Parameter { return documented(accessParameters) }

func accessSettingsOf(parameters map[string]string, authentication cosiv1alpha2.AuthenticationType_Type) (accessSettings, error) {
	var settings accessSettings
	if err := apply(accessParameters, parameters, &settings); err != nil {
		return settings, err
	}
	if settings.rotate && authentication == cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT {
		return settings, invalid("parameter %s is true, but the authentication type is ServiceAccount, which has no key to rotate",
			ParameterRotateCredentials)
	}
	return settings, nil
}
