package driverlist

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Answer is a driver's answer about itself.
type Answer struct {
	Name string
	// Protocols are the supported protocols, such as S3; a driver of v1alpha1 reports none.
	Protocols []string
	Health    Health
	// Message is the cause of a health other than Serving.
	Message string
}

// Probe asks the driver at an endpoint for its name and protocols by DriverGetInfo of v1alpha2 or v1alpha1, and for its health by
// grpc.health.v1. A driver without grpc.health.v1 is serving if it answers DriverGetInfo. The deadline is the one of ctx.
func Probe(ctx context.Context, endpoint string, options ...grpc.DialOption) Answer {
	conn, err := grpc.NewClient(endpoint, append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, options...)...)
	if err != nil {
		return Answer{Health: NotServing, Message: err.Error()}
	}
	answer, err := ask(ctx, conn)
	if err = errors.Join(err, conn.Close()); err != nil {
		answer.Health, answer.Message = NotServing, err.Error()
	}
	return answer
}

func ask(ctx context.Context, conn *grpc.ClientConn) (Answer, error) {
	answer := Answer{Health: Serving}
	info, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	answer.Name = info.GetName()
	if status.Code(err) == codes.Unimplemented {
		older, olderErr := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
		answer.Name, err = older.GetName(), olderErr
	}
	if err != nil {
		return answer, fmt.Errorf("DriverGetInfo: %w", err)
	}
	for _, protocol := range info.GetSupportedProtocols() {
		answer.Protocols = append(answer.Protocols, protocol.GetType().String())
	}
	slices.Sort(answer.Protocols)
	health, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	switch {
	case status.Code(err) == codes.Unimplemented:
		return answer, nil
	case err != nil:
		return answer, fmt.Errorf("grpc.health.v1: %w", err)
	case health.GetStatus() != healthv1.HealthCheckResponse_SERVING:
		return answer, fmt.Errorf("grpc.health.v1 reports %s", health.GetStatus())
	}
	return answer, nil
}
