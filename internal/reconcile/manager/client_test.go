package manager

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// behind is a client whose cache never sees its writes.
type behind struct {
	client.Client

	fails error // the error of a read without wait
}

func (b behind) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return b.read(ctx, false)
}

func (b behind) List(ctx context.Context, _ client.ObjectList, opts ...client.ListOption) error {
	return b.read(ctx, (&client.ListOptions{}).ApplyOptions(opts).DisableReadYourWritesConsistency)
}

func (b behind) read(ctx context.Context, atOnce bool) error {
	if !atOnce {
		<-ctx.Done()
		return ctx.Err()
	}
	return b.fails
}

// upToDate is the API server.
type upToDate struct {
	client.Reader

	fails error
}

func (u upToDate) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return u.fails
}

// TestReadsTimeOut: reads time out, and end with their caller's context.
func TestReadsTimeOut(t *testing.T) {
	broken := errors.New("broken")
	tests := map[string]struct {
		reason string
		limit  time.Duration // of the caller
		fails  error
		want   error
		took   time.Duration
	}{
		"Behind":      {"The API server knows; of a list, what the cache has is better than nothing.", time.Minute, nil, nil, catchUpTimeout},
		"Broken":      {"The second answer counts.", time.Minute, broken, broken, catchUpTimeout},
		"Interrupted": {"The caller waits no longer.", catchUpTimeout / 2, nil, context.DeadlineExceeded, catchUpTimeout / 2},
	}
	reads := map[string]func(context.Context, client.Reader) error{
		"Get": func(ctx context.Context, r client.Reader) error {
			return r.Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Secret{})
		},
		"List": func(ctx context.Context, r client.Reader) error { return r.List(ctx, &corev1.SecretList{}) },
	}
	for name, tc := range tests {
		for verb, read := range reads {
			t.Run(name+verb, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
					defer cancel()
					started := time.Now()
					if err := read(ctx, boundedReader{behind{fails: tc.fails}, upToDate{fails: tc.fails}}); !errors.Is(err, tc.want) {
						t.Errorf("%s %s = %v, want %v", tc.reason, verb, err, tc.want)
					}
					if took := time.Since(started); took != tc.took {
						t.Errorf("%s %s took %s, want %s", tc.reason, verb, took, tc.took)
					}
				})
			})
		}
	}
}
