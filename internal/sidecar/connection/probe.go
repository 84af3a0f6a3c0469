package connection

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// healthPrefix is the beginning of the methods of grpc.health.v1, which are no operations of COSI.
const healthPrefix = "/grpc.health.v1.Health/"

// Probe asks the driver whether it is alive, and returns nil if it is. A driver that serves grpc.health.v1 answers with the
// status of the whole server. Any other driver must answer DriverGetInfo. The deadline is the one of ctx.
func (c *Conn) Probe(ctx context.Context) error {
	answer, err := healthv1.NewHealthClient(c.conn).Check(ctx, &healthv1.HealthCheckRequest{})
	switch {
	case status.Code(err) == codes.Unimplemented:
		_, err = c.generation.GetInfo(ctx, c.conn)
	case err == nil && answer.GetStatus() != healthv1.HealthCheckResponse_SERVING:
		err = errors.New("its health is " + answer.GetStatus().String())
	}
	if err != nil {
		return fmt.Errorf("driver %s: %w", c.name, err)
	}
	return nil
}

func isHealth(method string) bool { return strings.HasPrefix(method, healthPrefix) }
