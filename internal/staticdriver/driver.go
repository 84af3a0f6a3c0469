// Package staticdriver is a COSI driver for buckets that exist already, at a provider without a driver of its own. It creates
// nothing and calls no provider. Applications get the credentials of a Secret that an administrator has created, and that
// the classes name; see package proto/secretparameters. It holds no state.
package staticdriver

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/driversocket"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DefaultName is the default name of the driver.
const DefaultName = "static.cosi-emu"

const gracePeriod = 5 * time.Second

// Options configure a driver.
type Options struct {
	// Name is the driver's name, as in the classes. Default: DefaultName.
	Name string
	// Endpoint is the UNIX socket of the driver, unix:///path.sock. Required.
	Endpoint string
	// Logger logs the names and results of calls, without parameters and secrets. The zero value logs nothing.
	Logger logr.Logger
}

// Validate returns an error for options that cannot be used.
func (o Options) Validate() error {
	if err := v1alpha2.CheckDriverName(cmp.Or(o.Name, DefaultName)); err != nil {
		return fmt.Errorf("driver name %q: %w", o.Name, err)
	}
	return driversocket.ValidateName(o.Endpoint)
}

// Driver serves COSI v1alpha2 and v1alpha1. Its methods are the KEP's.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	options Options
}

// New returns a driver with valid options.
func New(options Options) *Driver {
	options.Name = cmp.Or(options.Name, DefaultName)
	if options.Logger.GetSink() == nil {
		options.Logger = logr.Discard()
	}
	return &Driver{options: options}
}

// Run listens on the socket, and serves until ctx is done and all calls have ended.
func Run(ctx context.Context, options Options) error {
	if err := options.Validate(); err != nil {
		return err
	}
	listener, err := driversocket.Listen(options.Endpoint) //nolint:contextcheck // its probe of a stale socket is bounded by itself
	if err != nil {
		return err
	}
	d := New(options)
	d.options.Logger.Info("serving", "driver", d.options.Name, "socket", listener.Addr().String())
	return d.Serve(ctx, listener)
}

// Serve serves both versions, and grpc.health.v1, on a listener until ctx is done and all calls have ended. It closes the listener.
func (d *Driver) Serve(ctx context.Context, listener net.Listener) error {
	server := grpc.NewServer(grpc.WaitForHandlers(true), grpc.ChainUnaryInterceptor(d.log))
	cosiv1alpha2.RegisterIdentityServer(server, d)
	cosiv1alpha2.RegisterProvisionerServer(server, d)
	older := &v1alpha1{driver: d}
	cosiv1alpha1.RegisterIdentityServer(server, older)
	cosiv1alpha1.RegisterProvisionerServer(server, older)
	return driversocket.Serve(ctx, server, listener, gracePeriod)
}

func (d *Driver) log(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	response, err := handle(ctx, request)
	if err != nil {
		d.options.Logger.Info("call failed", "method", info.FullMethod, "code", status.Code(err).String(), "cause", status.Convert(err).Message())
	} else {
		d.options.Logger.V(1).Info("call served", "method", info.FullMethod)
	}
	return response, err
}

// DriverGetInfo implements the Identity service. The driver serves all protocols: the Secret decides.
func (d *Driver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	response := &cosiv1alpha2.DriverGetInfoResponse{Name: d.options.Name}
	for _, one := range protocols {
		response.SupportedProtocols = append(response.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: one.wireType})
	}
	return response, nil
}

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

// incomplete is the error of a Secret, which an administrator can correct: the sidecar retries the call.
func incomplete(format string, args ...any) error {
	return status.Errorf(codes.FailedPrecondition, format, args...)
}
