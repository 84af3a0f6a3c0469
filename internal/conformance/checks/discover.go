package checks

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// DiscoverProtocol returns the protocol of a driver that does not say: that of a bucket, which
// is created and deleted. If that tells nothing, it is S3.
func DiscoverProtocol(ctx context.Context, env *Env) port.Protocol {
	c := &C{Context: ctx, env: env, check: &Check{ID: "discovery"}}
	driver := port.Patient(env.Driver, env.CallTimeout)
	request := c.namedBucket(c.bucketName())
	request.Protocols = nil
	b, err := driver.CreateBucket(ctx, request)
	if err != nil || b.ID == "" {
		return s3
	}
	_ = driver.DeleteBucket(ctx, b.ID, request.Parameters) // the checks of deletion say what is wrong
	if len(b.Protocols) != 1 {
		return s3
	}
	return b.Protocols[0]
}
