package fakedriver

import (
	"fmt"
	"strings"
	"unicode"
)

// Credentials authenticate an S3 client. Every formatting verb and logger prints them without their
// secret.
type Credentials struct {
	AccessKeyID     string `json:"accessKeyID"`
	SecretAccessKey string `json:"secretAccessKey"`
}

func (c Credentials) String() string { return c.AccessKeyID + "/***redacted***" }

// GoString implements fmt.GoStringer.
func (c Credentials) GoString() string { return "fakedriver.Credentials(" + c.String() + ")" }

// MarshalLog implements logr.Marshaler.
func (c Credentials) MarshalLog() any { return c.String() }

const (
	maxAccessKeyID     = 128
	minSecretAccessKey = 4
	maxSecretAccessKey = 128
)

// Validate returns an error of kind [ErrInvalid] for a key that clients cannot use. The error does not contain the
// secret.
func (c Credentials) Validate() error {
	isID := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r))
	}
	isSecret := func(r rune) bool { return r > ' ' && r < unicode.MaxASCII }
	switch id, secret := c.AccessKeyID, c.SecretAccessKey; {
	case id == "" || len(id) > maxAccessKeyID || strings.ContainsFunc(id, func(r rune) bool { return !isID(r) }):
		return fmt.Errorf("access key ID %q %w: it must have 1 to %d letters, digits, '-', '_' and '.'", id, ErrInvalid, maxAccessKeyID)
	case len(secret) < minSecretAccessKey || len(secret) > maxSecretAccessKey ||
		strings.ContainsFunc(secret, func(r rune) bool { return !isSecret(r) }):
		return fmt.Errorf("secret access key of %q %w: it must have %d to %d visible ASCII characters, without spaces",
			id, ErrInvalid, minSecretAccessKey, maxSecretAccessKey)
	}
	return nil
}
