package env

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

const (
	waitInterval   = 50 * time.Millisecond
	requestTimeout = 10 * time.Second
	// missingGrace is the time in which an object that another one names may still appear.
	missingGrace = 5 * time.Second
)

// WaitAccess is ForAccess, but waits for credentials until ctx is done, or until COSI has rejected the access, its
// claim or its Bucket. It gives up, too, when one of them has named an object that does not exist for missingGrace.
func WaitAccess(
	ctx context.Context, c client.Client, version objectstorage.Version, access client.ObjectKey, claim string,
) ([]Variable, error) {
	var variables []Variable
	var last error
	var missingSince time.Time
	err := wait.PollUntilContextCancel(ctx, waitInterval, true, func(ctx context.Context) (bool, error) {
		// The last requests must not end with the wait: their answers have the cause.
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
		defer cancel()
		var err error
		variables, err = ForAccess(reading, c, version, access, claim)
		last = err
		if !errors.Is(err, errMissing) {
			missingSince = time.Time{}
		} else if missingSince.IsZero() {
			missingSince = time.Now()
		}
		isMissing := !missingSince.IsZero() && time.Since(missingSince) >= missingGrace
		if errors.Is(err, ErrNotReady) && !errors.Is(err, errFinal) && !isMissing {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil && context.Cause(ctx) != nil && errors.Is(last, ErrNotReady) && !errors.Is(last, errFinal) {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), last)
	}
	return variables, err
}
