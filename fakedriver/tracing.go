package fakedriver

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// attributeBucket is the attribute of a span with the name of a bucket. Accounts have none, because their IDs may be keys.
const attributeBucket = "cosi.bucket.name"

// tracedBackend is a backend whose operations are spans below the call that requires them.
type tracedBackend struct {
	backend Backend
	tracer  trace.Tracer
}

func newTracedBackend(provider trace.TracerProvider, backend Backend) Backend {
	return tracedBackend{backend, provider.Tracer("github.com/cosi-emu/cosi-emu/fakedriver")}
}

// CreateBucket implements Backend.
func (t tracedBackend) CreateBucket(ctx context.Context, spec BucketSpec) (created Bucket, err error) {
	ctx, end := t.start(ctx, "CreateBucket", attribute.String(attributeBucket, spec.Name))
	defer end(&err)
	return t.backend.CreateBucket(ctx, spec)
}

// GetBucket implements Backend.
func (t tracedBackend) GetBucket(ctx context.Context, name string) (found Bucket, err error) {
	ctx, end := t.start(ctx, "GetBucket", attribute.String(attributeBucket, name))
	defer end(&err)
	return t.backend.GetBucket(ctx, name)
}

// DeleteBucket implements Backend.
func (t tracedBackend) DeleteBucket(ctx context.Context, owner, name string) (err error) {
	ctx, end := t.start(ctx, "DeleteBucket", attribute.String(attributeBucket, name))
	defer end(&err)
	return t.backend.DeleteBucket(ctx, owner, name)
}

// PutAccount implements Backend.
func (t tracedBackend) PutAccount(ctx context.Context, spec AccountSpec) (keys Credentials, err error) {
	ctx, end := t.start(ctx, "PutAccount")
	defer end(&err)
	return t.backend.PutAccount(ctx, spec)
}

// RotateAccount implements Backend.
func (t tracedBackend) RotateAccount(ctx context.Context, owner, id string) (keys Credentials, err error) {
	ctx, end := t.start(ctx, "RotateAccount")
	defer end(&err)
	return t.backend.RotateAccount(ctx, owner, id)
}

// DeleteAccount implements Backend.
func (t tracedBackend) DeleteAccount(ctx context.Context, owner, id string) (err error) {
	ctx, end := t.start(ctx, "DeleteAccount")
	defer end(&err)
	return t.backend.DeleteAccount(ctx, owner, id)
}

// start starts the span of an operation. The returned function ends it, with the status of the error but without its
// message, which may contain parameters.
func (t tracedBackend) start(
	ctx context.Context, operation string, attributes ...attribute.KeyValue,
) (context.Context, func(*error)) {
	ctx, span := t.tracer.Start(ctx, "store "+operation, trace.WithAttributes(attributes...))
	return ctx, func(err *error) {
		if *err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
