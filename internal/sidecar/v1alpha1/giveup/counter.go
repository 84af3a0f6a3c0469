// Package giveup decides when a call that is repeated only to learn the ID from an earlier one has
// certainly created nothing. Otherwise an object whose bucket or account was never created could
// not be deleted.
package giveup

import (
	"sync"

	"google.golang.org/grpc/codes"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

// attempts is the number of failures after which a driver is believed.
const attempts = 3

// Counter counts the failures for each object since the start of the sidecar. Its zero
// value is ready. It is safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	count map[types.UID]int
}

// HasNothing reports whether the failure of a Create or a Grant, together with earlier ones for the
// object, means that nothing exists. A driver that rejects the call has created nothing. A driver
// that is unavailable, or lacks permissions, is asked again endlessly.
func (c *Counter) HasNothing(object types.UID, err error) bool {
	code := connection.CodeOf(err)
	switch code {
	case codes.OK, codes.Canceled, codes.DeadlineExceeded, codes.Unavailable, codes.Aborted,
		codes.ResourceExhausted, codes.PermissionDenied, codes.Unauthenticated:
		return false
	default:
	}
	if driver.IsRejection(code) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[types.UID]int{}
	}
	c.count[object]++
	return c.count[object] >= attempts
}

// Forget drops the failures of an object.
func (c *Counter) Forget(object types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.count, object)
}
