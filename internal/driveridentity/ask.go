package driveridentity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// Name asks a driver of v1alpha2 for its name, and waits until the driver is ready.
func (q Question) Name(ctx context.Context) (string, error) {
	return cosisidecar.GetDriverName(ctx, q.options())
}

// AskV1alpha2 asks a driver for the kinds of v1alpha2, and waits until the driver is ready. It
// prefers v1alpha2, and accepts v1alpha1, which needs a bridge.
func (q Question) AskV1alpha2(ctx context.Context) (Identity, error) {
	if q.Known == dialects.V1alpha1 {
		name, err := q.awaitV1alpha1(ctx)
		return Identity{Name: name, Version: objectstorage.V1alpha1, Dialect: q.Known}, err
	}
	name, err := q.Name(ctx)
	if !errors.Is(err, cosisidecar.ErrDriverGeneration) {
		return q.completed(ctx, name, err)
	}
	if q.Known != "" {
		return Identity{}, fmt.Errorf("the driver at %s does not speak %s: %w", q.Endpoint, q.Known.Protocol(), err)
	}
	name, oldErr := q.awaitV1alpha1(ctx)
	switch {
	case errors.Is(oldErr, bridge.ErrGeneration):
		return Identity{}, fmt.Errorf("the driver at %s speaks neither COSI v1alpha2 nor v1alpha1; is it a COSI driver? %w",
			q.Endpoint, errors.Join(err, oldErr))
	case oldErr != nil:
		return Identity{}, fmt.Errorf("the driver at %s: %w", q.Endpoint, oldErr)
	}
	return Identity{Name: name, Version: objectstorage.V1alpha1, Dialect: dialects.V1alpha1}, nil
}

// completed asks a driver of v1alpha2 for its dialect, unless that is known, and whether it also
// serves v1alpha1.
func (q Question) completed(ctx context.Context, name string, err error) (Identity, error) {
	who := Identity{Name: name, Version: objectstorage.V1alpha2, Dialect: q.Known}
	if err == nil && q.Known == "" {
		detect := func(ctx context.Context) (dialects.Dialect, error) { return bridge.Detect(ctx, q.Endpoint) }
		who.Dialect, err = await(ctx, q, detect)
	}
	if err == nil && q.servesV1alpha1(ctx) {
		who.Other = objectstorage.V1alpha1
	}
	return who, err
}

// AskV1alpha1 asks a driver for the kinds of v1alpha1, and waits until the driver is ready. It
// accepts only v1alpha1.
func (q Question) AskV1alpha1(ctx context.Context) (Identity, error) {
	name, err := q.awaitV1alpha1(ctx)
	if !errors.Is(err, bridge.ErrGeneration) {
		return Identity{Name: name, Version: objectstorage.V1alpha1, Dialect: dialects.V1alpha1}, err
	}
	if _, newErr := q.Name(ctx); newErr != nil {
		return Identity{}, fmt.Errorf("the driver at %s speaks neither COSI v1alpha1 nor v1alpha2; is it a COSI driver? %w",
			q.Endpoint, errors.Join(err, newErr))
	}
	return Identity{}, fmt.Errorf("the driver at %s speaks v1alpha2: %w; run it with the kinds of v1alpha2", q.Endpoint, ErrVersion)
}

// awaitV1alpha1 asks a driver of v1alpha1 for its name, until it answers.
func (q Question) awaitV1alpha1(ctx context.Context) (string, error) {
	return await(ctx, q, func(ctx context.Context) (string, error) { return bridge.GetDriverName(ctx, q.Endpoint) })
}

// interval is the pause before the next question to a driver that is not ready.
const interval = 100 * time.Millisecond

// await asks a driver until it answers. A driver may answer with errors until its backend is ready.
func await[T any](ctx context.Context, q Question, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, q.ConnectTimeout)
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
		case <-time.After(interval):
		case <-ctx.Done():
			return answer, last
		}
	}
}

// otherTimeout is the time limit for the question whether a driver also serves v1alpha1.
const otherTimeout = time.Second

func (q Question) servesV1alpha1(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, otherTimeout)
	defer cancel()
	_, err := bridge.GetDriverName(ctx, q.Endpoint)
	return err == nil
}
