package giveup_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/giveup"
)

func failure(code codes.Code) error {
	return connection.NewCallError("DriverCreateBucket", status.Error(code, "no"), func(string, codes.Code) bool { return false })
}

// TestEveryCode has, for each code, the number of failures after which nothing was created; 0 means
// never.
func TestEveryCode(t *testing.T) {
	const once, thrice, never, more = 1, 3, 0, 10
	for code, want := range map[codes.Code]int{
		codes.Canceled: never, codes.DeadlineExceeded: never, codes.PermissionDenied: never, codes.ResourceExhausted: never,
		codes.Aborted: never, codes.Unavailable: never, codes.Unauthenticated: never,
		codes.InvalidArgument: once, codes.OutOfRange: once, codes.Unimplemented: once,
		codes.Unknown: thrice, codes.NotFound: thrice, codes.AlreadyExists: thrice, codes.FailedPrecondition: thrice,
		codes.Internal: thrice, codes.DataLoss: thrice, codes.Unauthenticated + 1: thrice,
	} {
		t.Run(code.String(), func(t *testing.T) {
			var counter giveup.Counter
			got := 0
			for n := 1; n <= more && got == 0; n++ {
				if counter.HasNothing("bucket", failure(code)) {
					got = n
				}
			}
			if got != want {
				t.Errorf("nothing exists after %d failures with %s, want %d", got, code, want)
			}
		})
	}
}

// TestOtherErrors: a driver that answers without an ID has created something, and an error of the
// API server does not come from the driver.
func TestOtherErrors(t *testing.T) {
	for name, err := range map[string]error{
		"InvalidAnswer": connection.Invalid("DriverCreateBucket", "it has no bucket ID"),
		"NoCall":        errors.New("conflict"),
	} {
		var counter giveup.Counter
		for range 10 {
			if counter.HasNothing("bucket", err) {
				t.Errorf("%s is taken to mean that nothing exists", name)
			}
		}
	}
}

// TestCountsOfObjects: each object has its own count, which restarts after Forget. A failure
// without information about the backend does not reset it.
func TestCountsOfObjects(t *testing.T) {
	var counter giveup.Counter
	for i, step := range []struct {
		object types.UID
		code   codes.Code
		want   bool
	}{
		{"a", codes.Internal, false},
		{"a", codes.Internal, false},
		{"b", codes.Internal, false},
		{"a", codes.Unavailable, false},
		{"a", codes.Unknown, true},
		{"a", codes.Internal, true},
		{"b", codes.Internal, false},
		{"b", codes.Internal, true},
	} {
		if got := counter.HasNothing(step.object, failure(step.code)); got != step.want {
			t.Errorf("step %d, %s of object %s: %t, want %t", i, step.code, step.object, got, step.want)
		}
	}
	counter.Forget("a")
	counter.Forget("never seen")
	if counter.HasNothing("a", failure(codes.Internal)) {
		t.Error("the count of a forgotten object goes on")
	}
	if !counter.HasNothing("b", failure(codes.Internal)) {
		t.Error("Forget has reset another object")
	}
}

func TestConcurrentUse(t *testing.T) {
	const workers = 30
	var (
		counter giveup.Counter
		group   sync.WaitGroup
		nothing atomic.Int64
	)
	for range workers {
		group.Go(func() {
			if counter.HasNothing("bucket", failure(codes.Internal)) {
				nothing.Add(1)
			}
		})
	}
	group.Wait()
	if got, want := nothing.Load(), int64(workers-2); got != want {
		t.Errorf("%d of %d failures mean that nothing exists, want %d", got, workers, want)
	}
}
