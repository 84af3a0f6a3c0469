package port

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
)

// patient repeats calls that the driver asks to repeat.
type patient struct {
	Driver

	timeout time.Duration
	alive   func() bool
}

// Patient returns a driver whose calls are repeated, as the sidecar does, while the answer is
// UNAVAILABLE or ABORTED: a driver whose backend works asynchronously may answer like that.
// Each call has the timeout.
func Patient(driver Driver, timeout time.Duration) Driver {
	return PatientWhile(driver, timeout, func() bool { return true })
}

// PatientWhile is Patient, and repeats calls only while the driver is alive.
func PatientWhile(driver Driver, timeout time.Duration, alive func() bool) Driver {
	return &patient{driver, timeout, alive}
}

// repeat calls until the answer is final, the driver is dead, or the context is done.
func repeat[T any](ctx context.Context, p *patient, call func(context.Context) (T, error)) (T, error) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		callCtx, cancel := context.WithTimeout(ctx, p.timeout)
		answer, err := call(callCtx)
		cancel()
		if code := status.Code(err); code != codes.Unavailable && code != codes.Aborted || !p.alive() {
			return answer, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return answer, err
		case <-timer.C:
		}
	}
}

func none(call func(context.Context) error) func(context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) }
}

func (p *patient) Info(ctx context.Context) (Info, error) {
	return repeat(ctx, p, p.Driver.Info)
}

func (p *patient) BucketKey(ctx context.Context, r BucketRequest) (string, error) {
	return repeat(ctx, p, func(ctx context.Context) (string, error) { return p.Driver.BucketKey(ctx, r) })
}

func (p *patient) CreateBucket(ctx context.Context, r BucketRequest) (*Bucket, error) {
	return repeat(ctx, p, func(ctx context.Context) (*Bucket, error) { return p.Driver.CreateBucket(ctx, r) })
}

func (p *patient) GetBucket(ctx context.Context, r BucketRequest) (*Bucket, error) {
	return repeat(ctx, p, func(ctx context.Context) (*Bucket, error) { return p.Driver.GetBucket(ctx, r) })
}

func (p *patient) DeleteBucket(ctx context.Context, id string, parameters map[string]string) error {
	_, err := repeat(ctx, p, none(func(ctx context.Context) error { return p.Driver.DeleteBucket(ctx, id, parameters) }))
	return err
}

func (p *patient) AccountKey(ctx context.Context, r AccessRequest) (string, error) {
	return repeat(ctx, p, func(ctx context.Context) (string, error) { return p.Driver.AccountKey(ctx, r) })
}

func (p *patient) Grant(ctx context.Context, r AccessRequest) (*Access, error) {
	return repeat(ctx, p, func(ctx context.Context) (*Access, error) { return p.Driver.Grant(ctx, r) })
}

func (p *patient) Revoke(ctx context.Context, r AccessRequest) error {
	_, err := repeat(ctx, p, none(func(ctx context.Context) error { return p.Driver.Revoke(ctx, r) }))
	return err
}
