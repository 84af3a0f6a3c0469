package authentication

// checkScope rejects signatures for another day or service. The caller checks the region, which
// depends on the bucket.
func checkScope(signed Signature) error {
	switch {
	case signed.scope.day != signed.Time.Format(dayFormat):
		return signed.Malformed("Invalid credential date \"" + signed.scope.day + "\". This date is not the same as X-Amz-Date: \"" +
			signed.Time.Format(dayFormat) + "\".")
	case signed.scope.service != "s3":
		return signed.Malformed("incorrect service \"" + signed.scope.service + "\". This endpoint belongs to \"s3\".")
	case signed.scope.terminator != "aws4_request":
		return signed.Malformed("incorrect terminal \"" + signed.scope.terminator + "\". This endpoint uses \"aws4_request\".")
	}
	return nil
}
