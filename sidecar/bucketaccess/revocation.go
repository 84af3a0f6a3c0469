package bucketaccess

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/announcement"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// revocation has the driver take the access away. Without an account ID nothing
// was ever granted.
type revocation struct {
	driver *driver.Driver
	events events.EventRecorder
}

func (r *revocation) walk(ctx context.Context, access *subject) (bool, error) {
	if access.Object.Status.AccountID == "" {
		return true, nil
	}
	if err := r.driver.RevokeBucketAccess(ctx, access.Object); err != nil {
		return false, finding.FromDriver(err)
	}
	announcement.Deprovisioned(r.events, access.Object, fmt.Sprintf("driver %s has revoked the access", r.driver.Name()))
	return true, nil
}
