package authentication

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// AuthenticateForm returns the signer of a form's policy, and the signature. It does not read the
// policy. The caller of AuthenticateForm checks the region, which depends on the bucket.
func (a *Authenticator) AuthenticateForm(f *postform.Form) (*authorization.Caller, Signature, error) {
	signed, err := parseForm(f)
	if err != nil {
		return nil, signed, err
	}
	if signed.Time.Sub(a.now()) > maxSkew {
		return nil, signed, s3error.ErrAccessDenied.With("Request is not yet valid")
	}
	if err := checkScope(signed); err != nil {
		return nil, signed, err
	}
	caller, err := a.identify(signed)
	if err != nil {
		return nil, signed, err
	}
	keys := caller.SigningKeys()
	scope := sigv4.Scope{Day: signed.scope.day, Region: signed.Region}
	key := keys.Get(caller.Secret(), scope)
	want := key.Sign([]byte(f.Fields["policy"]))
	if !want.Equal(signed.Value) {
		return nil, signed, s3error.ErrSignatureDoesNotMatch.About("AWSAccessKeyId", signed.accessKeyID).
			About("SignatureProvided", signed.Value)
	}
	keys.Keep(scope, key)
	return caller, signed, nil
}

// signatureFields are the fields of a signature, besides the token of a session.
var signatureFields = []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Signature", "Policy"}

// parseForm reads the fields about the signature. A form without any is anonymous.
func parseForm(f *postform.Form) (Signature, error) {
	signed := Signature{inForm: true, token: f.Fields["x-amz-security-token"]}
	values := map[string]string{}
	var missing error
	for _, name := range signatureFields {
		value, err := f.Required(name)
		if err == nil {
			values[name] = value
		} else if missing == nil {
			missing = err
		}
	}
	_, older := f.Fields["awsaccesskeyid"]
	switch {
	case older:
		return signed, notSupported("Signature Version 2")
	case len(values) == 0:
		return signed, s3error.ErrAccessDenied
	case missing != nil:
		return signed, missing
	case values["X-Amz-Algorithm"] != algorithm:
		return signed, signed.Malformed("X-Amz-Algorithm only supports \"" + algorithm + "\"")
	}
	signed, err := parseAuthorization(algorithm+" Credential="+values["X-Amz-Credential"]+", SignedHeaders=host, Signature="+
		values["X-Amz-Signature"], signed)
	if err != nil {
		return signed, err
	}
	signed.Time, err = time.Parse(timeFormat, values["X-Amz-Date"])
	if err != nil {
		return signed, signed.Malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
	}
	return signed, nil
}
