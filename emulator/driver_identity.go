package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// ErrDriverVersion is wrapped by the error of an external driver that speaks another version of
// the protocol than Options.API.
var ErrDriverVersion = errors.New("the driver speaks another version of COSI")

// driverIdentity is a driver's answer about itself.
type driverIdentity struct {
	name string
	// version is the protocol version in use; the driver also serves other, if set.
	version, other objectstorage.Version
	// dialect is the dialect of the version.
	dialect dialects.Dialect
}

// askDriver asks an external driver for its identity, and waits until the driver is ready. It asks
// for the dialect only if that is unknown.
func (e *Emulator) askDriver(ctx context.Context, endpoint string, known dialects.Dialect) (driverIdentity, error) {
	return e.generation().ask(e, ctx, endpoint, known)
}

// askV1alpha2 prefers v1alpha2, and accepts v1alpha1, which needs a bridge.
func (e *Emulator) askV1alpha2(ctx context.Context, endpoint string, known dialects.Dialect) (driverIdentity, error) {
	if known == dialects.V1alpha1 {
		name, err := e.awaitV1alpha1(ctx, endpoint)
		return driverIdentity{name: name, version: objectstorage.V1alpha1, dialect: known}, err
	}
	name, err := cosisidecar.GetDriverName(ctx, e.askOptions(endpoint))
	if !errors.Is(err, cosisidecar.ErrDriverGeneration) {
		who := driverIdentity{name: name, version: objectstorage.V1alpha2, dialect: known}
		if err == nil && known == "" {
			who.dialect, err = awaitAnswer(ctx, e, func(ctx context.Context) (dialects.Dialect, error) { return bridge.Detect(ctx, endpoint) })
		}
		if err == nil && servesV1alpha1(ctx, endpoint) {
			who.other = objectstorage.V1alpha1
		}
		return who, err
	}
	if known != "" {
		return driverIdentity{}, fmt.Errorf("the driver at %s does not speak %s: %w", endpoint, known.Protocol(), err)
	}
	name, oldErr := e.awaitV1alpha1(ctx, endpoint)
	switch {
	case errors.Is(oldErr, bridge.ErrGeneration):
		return driverIdentity{}, fmt.Errorf("the driver at %s speaks neither COSI v1alpha2 nor v1alpha1; is it a COSI driver? %w",
			endpoint, errors.Join(err, oldErr))
	case oldErr != nil:
		return driverIdentity{}, fmt.Errorf("the driver at %s: %w", endpoint, oldErr)
	}
	return driverIdentity{name: name, version: objectstorage.V1alpha1, dialect: dialects.V1alpha1}, nil
}

// askV1alpha1 accepts only v1alpha1.
func (e *Emulator) askV1alpha1(ctx context.Context, endpoint string, _ dialects.Dialect) (driverIdentity, error) {
	name, err := e.awaitV1alpha1(ctx, endpoint)
	if !errors.Is(err, bridge.ErrGeneration) {
		return driverIdentity{name: name, version: objectstorage.V1alpha1, dialect: dialects.V1alpha1}, err
	}
	if _, newErr := cosisidecar.GetDriverName(ctx, e.askOptions(endpoint)); newErr != nil {
		return driverIdentity{}, fmt.Errorf("the driver at %s speaks neither COSI v1alpha1 nor v1alpha2; is it a COSI driver? %w",
			endpoint, errors.Join(err, newErr))
	}
	return driverIdentity{}, fmt.Errorf("the driver at %s speaks v1alpha2: %w; run it with the kinds of v1alpha2", endpoint, ErrDriverVersion)
}

func (e *Emulator) askOptions(endpoint string) cosisidecar.Options {
	return cosisidecar.Options{Endpoint: endpoint, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout}
}

// awaitV1alpha1 asks a driver of v1alpha1 for its name, until it answers.
func (e *Emulator) awaitV1alpha1(ctx context.Context, endpoint string) (string, error) {
	return awaitAnswer(ctx, e, func(ctx context.Context) (string, error) { return bridge.GetDriverName(ctx, endpoint) })
}

// askInterval is the pause before the next question to a driver that is not ready.
const askInterval = 100 * time.Millisecond

// awaitAnswer asks a driver until it answers. A driver may answer with errors until its backend is
// ready.
func awaitAnswer[T any](ctx context.Context, e *Emulator, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(e.opts.ConnectTimeout, DefaultConnectTimeout))
	defer cancel()
	var last error
	for {
		answer, err := ask(ctx)
		if err == nil || errors.Is(err, bridge.ErrGeneration) {
			return answer, err
		}
		if last == nil || ctx.Err() == nil { // otherwise the deadline of ctx has interrupted the call
			last = err
		}
		select {
		case <-time.After(askInterval):
		case <-ctx.Done():
			return answer, last
		}
	}
}

// otherTimeout is the time limit for the question whether a driver also serves v1alpha1.
const otherTimeout = time.Second

func servesV1alpha1(ctx context.Context, endpoint string) bool {
	ctx, cancel := context.WithTimeout(ctx, otherTimeout)
	defer cancel()
	_, err := bridge.GetDriverName(ctx, endpoint)
	return err == nil
}
