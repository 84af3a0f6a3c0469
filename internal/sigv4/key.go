package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// Algorithm is the name of AWS's algorithm in requests and in signed texts, and GoogleAlgorithm the
// name of Google's.
const (
	Algorithm       = "AWS4-HMAC-SHA256"
	GoogleAlgorithm = "GOOG4-HMAC-SHA256"
)

// Scheme is the issuer's form of signature. Schemes differ in words only.
type Scheme uint8

// The schemes.
const (
	AWS Scheme = iota
	Google
)

type words struct {
	algorithm           string
	prefix              string // of the secret for the derivation of keys
	service, terminator string // end of scopes
	parameter           string // with the signature, which does not cover itself
}

var schemes = [...]words{
	AWS:    {Algorithm, "AWS4", "s3", "aws4_request", "X-Amz-Signature"},
	Google: {GoogleAlgorithm, "GOOG4", "storage", "goog4_request", "X-Goog-Signature"},
}

// TimeFormat and DayFormat are the layouts of the time and of its day, for package time.
const (
	TimeFormat = "20060102T150405Z"
	DayFormat  = "20060102"
)

// Scope limits a signing key.
type Scope struct {
	// Day has the form of DayFormat.
	Day    string
	Region string
	// Scheme defaults to AWS.
	Scheme Scheme
}

// String returns the scope as in signed texts.
func (s Scope) String() string { return string(s.append(nil)) }

func (s Scope) append(b []byte) []byte {
	scheme := &schemes[s.Scheme]
	b = append(append(b, s.Day...), '/')
	b = append(append(b, s.Region...), '/')
	b = append(append(b, scheme.service...), '/')
	return append(b, scheme.terminator...)
}

// Key is a signing key: it is derived from a secret, and signs within one scope. It is as secret as
// its origin.
type Key [sha256.Size]byte

// Derive returns the signing key of a secret for a scope.
func Derive(secret string, scope Scope) (key Key) {
	scheme := &schemes[scope.Scheme]
	sum := []byte(scheme.prefix + secret)
	for _, part := range []string{scope.Day, scope.Region, scheme.service, scheme.terminator} {
		mac := hmac.New(sha256.New, sum)
		mac.Write([]byte(part))
		sum = mac.Sum(sum[:0])
	}
	return Key(sum)
}

// String keeps keys out of logs.
func (Key) String() string { return "(signing key)" }

// GoString keeps keys out of logs.
func (k Key) GoString() string { return k.String() }

// Signature is a signature in hexadecimal form, in lower case.
type Signature [2 * sha256.Size]byte

// Sign signs a text.
func (k Key) Sign(text []byte) (signature Signature) {
	mac := hmac.New(sha256.New, k[:])
	mac.Write(text)
	var sum [sha256.Size]byte
	hex.Encode(signature[:], mac.Sum(sum[:0]))
	return signature
}

// Equal compares a signature with a client's, in constant time.
func (s *Signature) Equal(given string) bool {
	return subtle.ConstantTimeCompare(s[:], []byte(given)) == 1
}
