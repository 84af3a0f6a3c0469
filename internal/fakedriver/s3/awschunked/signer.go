package awschunked

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	service    = "s3"
	terminator = "aws4_request"
)

// Seed is the verified signature of the request. The first chunk's signature covers
// it.
type Seed struct {
	// SecretKey is the secret access key of the account.
	SecretKey string
	Region    string
	Time      time.Time
	// Signature is in hexadecimal form.
	Signature string
}

type chain struct {
	Seed

	chunks *v4.StreamSigner
	last   string
}

// NewSigner returns a Signer for one request.
func NewSigner(seed Seed) Signer {
	previous, err := hex.DecodeString(seed.Signature)
	if err != nil {
		previous = nil // no chunk will match
	}
	credentials := aws.Credentials{SecretAccessKey: seed.SecretKey}
	return &chain{Seed: seed, last: seed.Signature, chunks: v4.NewStreamSigner(credentials, service, seed.Region, previous)}
}

// Chunk implements Signer. With no headers, the signature of an event stream
// message is that of an S3 chunk.
func (c *chain) Chunk(data []byte, signature string) bool {
	want, err := c.chunks.GetSignature(context.Background(), nil, data, c.Time)
	if err != nil {
		return false
	}
	c.last = hex.EncodeToString(want)
	return hmac.Equal([]byte(c.last), []byte(signature))
}

// Trailer implements Signer. No importable library has this signature, so this derives
// the key as documented for Signature Version 4.
func (c *chain) Trailer(canonical []byte, signature string) bool {
	day := c.Time.UTC().Format("20060102")
	key := []byte("AWS4" + c.SecretKey)
	for _, part := range []string{day, c.Region, service, terminator} {
		key = sum(key, part)
	}
	digest := sha256.Sum256(canonical)
	want := hex.EncodeToString(sum(key, strings.Join([]string{
		"AWS4-HMAC-SHA256-TRAILER",
		c.Time.UTC().Format("20060102T150405Z"),
		strings.Join([]string{day, c.Region, service, terminator}, "/"),
		c.last,
		hex.EncodeToString(digest[:]),
	}, "\n")))
	return hmac.Equal([]byte(want), []byte(signature))
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
