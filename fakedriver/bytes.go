package fakedriver

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// BytesAllowed describes what ParseBytes accepts.
const BytesAllowed = "a whole Kubernetes quantity above 0, such as 500M or 10Gi"

// ParseBytes reads a number of bytes. The error explains why it is not BytesAllowed, in words that
// follow "which".
func ParseBytes(text string) (int64, error) {
	quantity, err := resource.ParseQuantity(text)
	if err != nil || quantity.Sign() <= 0 {
		return 0, errNotAllowed
	}
	bytes := quantity.Value() // rounded up, and at most math.MaxInt64
	if bytes == math.MaxInt64 || quantity.CmpInt64(bytes) != 0 {
		return 0, valueError("is not whole, or too large")
	}
	return bytes, nil
}
