// Package signing signs requests as clients of S3 do, with the library of Amazon's clients. The XML
// API of Google Cloud Storage accepts the same signatures for an HMAC key.
package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// GoogleRegion is the region of requests to Google Cloud Storage, which accepts any.
const GoogleRegion = "auto"

// Sign signs a request with its content, for a region.
func Sign(r *http.Request, key aws.Credentials, region string, content []byte) error {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", digest)
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 escapes paths once
	if err := signer.SignHTTP(r.Context(), key, r, digest, "s3", region, time.Now()); err != nil {
		return fmt.Errorf("sign a request to %s: %w", r.URL.Host, err)
	}
	return nil
}
