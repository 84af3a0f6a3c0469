package process

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// pause is the delay before DriverGetInfo is repeated after an error: the driver's backend may not
// be ready.
const pause = 50 * time.Millisecond

// identify returns when the driver at an endpoint answers DriverGetInfo.
func identify(ctx context.Context, endpoint string) (err error) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("endpoint %q: %w", endpoint, err)
	}
	defer func() { _ = conn.Close() }()
	for {
		_, err := port.Generation(ctx, conn)
		if err == nil || status.Code(err) == codes.Unimplemented {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
