package store

import (
	"net/http"

	rclone "github.com/rclone/gofakes3/signature"
)

// authenticate finds out whose request it is. The signature itself is verified
// by rclone's library; what that leaves to its callers is checked here. The
// region that it was signed for is checked later, when it is known that the
// bucket, whose region counts, is within reach.
func (s *Store) authenticate(x *exchange) error {
	signed, err := parseSignature(x.r, x.query)
	if err != nil {
		return err
	}
	if err := s.checkTime(signed); err != nil {
		return err
	}
	if err := checkScope(signed); err != nil {
		return err
	}
	who, err := s.identify(signed)
	if err != nil {
		return err
	}
	if err := verify(x.r, signed, who.secret); err != nil {
		return err
	}
	x.signature, x.identity = signed, who
	x.w = &gatedWriter{ResponseWriter: x.w, store: s, x: x}
	return nil
}

// verify compares the signature with the one that the secret gives.
func verify(r *http.Request, signed signature, secret string) error {
	if signed.presigned && r.Header.Get("Date") != "" {
		// The library would read the time from it, and not from the URL.
		r = r.Clone(r.Context())
		r.Header.Del("Date")
	}
	code := rclone.V4SignVerifyWithSecret(r, secret)
	if code == rclone.ErrNone {
		return nil
	}
	return signed.failure(rclone.GetAPIError(code))
}
