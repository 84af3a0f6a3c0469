package checks

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// DiscoverProtocol finds the protocol of a driver that does not report it: it creates a bucket,
// reads its protocol, and deletes it. The default is S3.
func DiscoverProtocol(ctx context.Context, env *Env) port.Protocol {
	c := &C{Context: ctx, env: env, check: &Check{ID: "discovery"}}
	driver := port.Patient(env.Driver, env.CallTimeout)
	request := c.namedBucket(c.bucketName())
	request.Protocols = nil
	b, err := driver.CreateBucket(ctx, request)
	if err != nil || b.ID == "" {
		return s3
	}
	_ = driver.DeleteBucket(ctx, b.ID, request.Parameters) // the checks of deletion report failures
	if len(b.Protocols) != 1 {
		return s3
	}
	return b.Protocols[0]
}
