package authorization

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"strconv"
)

const (
	accessKeyPrefix = "COSI"
	accessKeyLength = 20
	secretLength    = 40
	alphabet        = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// AccessKeyID derives the access key ID from the account's and the number of its earlier keys, so
// that it can be recognised in recordings of different runs. It has Amazon's form.
func AccessKeyID(accountID string, rotations int) string {
	if rotations > 0 {
		accountID += "\x00" + strconv.Itoa(rotations) // no ID has a NUL
	}
	digest := sha256.Sum256([]byte(accountID))
	encoded := base32.StdEncoding.EncodeToString(digest[:])
	return accessKeyPrefix + encoded[:accessKeyLength-len(accessKeyPrefix)]
}

// NewSecret returns 40 random letters and digits.
func NewSecret(random io.Reader) (string, error) {
	const unbiased = 256 - 256%len(alphabet)
	secret := make([]byte, 0, secretLength)
	buffer := make([]byte, secretLength)
	for len(secret) < secretLength {
		if _, err := io.ReadFull(random, buffer); err != nil {
			return "", fmt.Errorf("cannot read random bytes for a secret access key: %w", err)
		}
		for _, b := range buffer {
			if int(b) < unbiased && len(secret) < secretLength {
				secret = append(secret, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(secret), nil
}
