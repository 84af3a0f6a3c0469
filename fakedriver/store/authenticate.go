package store

import (
	"net/http"
	"time"

	rclone "github.com/rclone/gofakes3/signature"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// maxSkew is how far the time of a request may be from the store's.
const maxSkew = 15 * time.Minute

// authenticate finds out whose request it is. The signature itself is verified
// by rclone's library; what that leaves to its callers is checked here.
func (s *Store) authenticate(x *exchange) error {
	signed, err := parseSignature(x.r, x.query)
	if err != nil {
		return err
	}
	if err := s.checkTime(signed); err != nil {
		return err
	}
	if err := s.checkScope(signed); err != nil {
		return err
	}
	if err := s.verify(x.r, signed); err != nil {
		return err
	}
	x.signature = signed
	x.principal = s.registry.byKey(signed.accessKeyID)
	if x.principal == nil { // revoked a moment ago
		return s3error.ErrInvalidAccessKeyID
	}
	return nil
}

// verify compares the signature with the one that the account's secret gives.
func (s *Store) verify(r *http.Request, signed signature) error {
	if signed.presigned && r.Header.Get("Date") != "" {
		// The library would read the time from it, and not from the URL.
		r = r.Clone(r.Context())
		r.Header.Del("Date")
	}
	code := rclone.V4SignVerifyWithLookup(r, s.registry.secretOf)
	if code == rclone.ErrNone {
		return nil
	}
	return signed.malformed(rclone.GetAPIError(code))
}
