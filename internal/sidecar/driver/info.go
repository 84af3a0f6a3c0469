package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const getInfo = "DriverGetInfo"

// ErrGeneration is wrapped by the error of a driver that does not speak v1alpha2.
var ErrGeneration = errors.New("it does not serve COSI v1alpha2")

// Info is a driver's answer to DriverGetInfo.
type Info struct {
	// Name of the driver, by which objects refer to it.
	Name string
	// Protocols that the driver serves, at least one, without duplicates.
	Protocols []v1alpha2.Protocol
}

var infoBackoff = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 6, Cap: 2 * time.Second}

// awaitInfo calls DriverGetInfo until it succeeds, or fails with a terminal error, or
// ctx is done. Then the error is the driver's latest.
func (d *Driver) awaitInfo(ctx context.Context) (Info, error) {
	var (
		info Info
		last error
	)
	err := infoBackoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		var err error
		if info, err = d.askInfo(ctx); err == nil || IsTerminal(err) {
			return true, err
		}
		if last == nil || ctx.Err() == nil { // otherwise the deadline of ctx has cut off the call
			last = err
		}
		return false, nil
	})
	if err != nil && last != nil && ctx.Err() != nil {
		return Info{}, last
	}
	return info, err
}

func (d *Driver) askInfo(ctx context.Context) (Info, error) {
	ctx, cancel := context.WithTimeout(ctx, d.options.RPCTimeout)
	defer cancel()
	response, err := d.identity.DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		return Info{}, fmt.Errorf("%w (service %s), but probably another version; put 'cosi-emu bridge' in front of a driver of v1alpha1: %w",
			ErrGeneration, cosiv1alpha2.Identity_ServiceDesc.ServiceName, newCallError(getInfo, err))
	}
	if err != nil {
		return Info{}, newCallError(getInfo, err)
	}
	return readInfo(response)
}

// readInfo validates an answer to DriverGetInfo. It ignores duplicate protocols.
func readInfo(response *cosiv1alpha2.DriverGetInfoResponse) (Info, error) {
	if err := v1alpha2.CheckDriverName(response.GetName()); err != nil {
		return Info{}, invalid(getInfo, "the driver's name is invalid: %v", err)
	}
	info := Info{Name: response.GetName()}
	for _, protocol := range response.GetSupportedProtocols() {
		known, ok := protocolOf(protocol.GetType())
		if !ok {
			return Info{}, invalid(getInfo, "driver %s names an unknown protocol: %s; it must be S3, AZURE or GCS",
				info.Name, protocol.GetType())
		}
		info.Protocols = append(info.Protocols, known)
	}
	if len(info.Protocols) == 0 {
		return Info{}, invalid(getInfo, "driver %s names no protocol; it must serve at least one of S3, AZURE and GCS", info.Name)
	}
	slices.Sort(info.Protocols)
	info.Protocols = slices.Compact(info.Protocols)
	return info, nil
}
