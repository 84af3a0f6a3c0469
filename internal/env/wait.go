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

const waitInterval = 50 * time.Millisecond

// WaitAccess is ForAccess, but waits for credentials until ctx is done, or until COSI has rejected the access, its
// claim or its Bucket.
func WaitAccess(
	ctx context.Context, c client.Client, version objectstorage.Version, access client.ObjectKey, claim string,
) ([]Variable, error) {
	var variables []Variable
	var last error
	err := wait.PollUntilContextCancel(ctx, waitInterval, true, func(ctx context.Context) (bool, error) {
		variables, last = ForAccess(ctx, c, version, access, claim)
		if errors.Is(last, ErrNotReady) && !errors.Is(last, errFinal) {
			return false, nil
		}
		return last == nil, last
	})
	if err != nil && errors.Is(last, ErrNotReady) && !errors.Is(last, errFinal) {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), last)
	}
	return variables, err
}
