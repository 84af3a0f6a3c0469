package awschunked

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// Algorithms in the signed text.
const (
	ofChunk   = sigv4.Algorithm + "-PAYLOAD"
	ofTrailer = sigv4.Algorithm + "-TRAILER"
)

// Seed is the verified signature of the request. The first chunk's signature covers it.
type Seed struct {
	// Key is the key of the request's signature.
	Key    sigv4.Key
	Region string
	Time   time.Time
	// Signature is in hexadecimal form.
	Signature string
}

type chain struct {
	Seed

	scope sigv4.Scope
	last  string
}

// NewSigner returns a Signer for one request.
func NewSigner(seed Seed) Signer {
	scope := sigv4.Scope{Day: seed.Time.UTC().Format(sigv4.DayFormat), Region: seed.Region}
	return &chain{Seed: seed, scope: scope, last: seed.Signature}
}

func (c *chain) Chunk(data []byte, signature string) bool {
	// The digest of nothing is part of the format.
	want := c.Key.SignText(ofChunk, c.Time, c.scope, c.last, digest(nil), digest(data))
	c.last = string(want[:])
	return want.Equal(signature)
}

func (c *chain) Trailer(canonical []byte, signature string) bool {
	want := c.Key.SignText(ofTrailer, c.Time, c.scope, c.last, digest(canonical))
	return want.Equal(signature)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
