package subprocess

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	pollInterval = 20 * time.Millisecond
	probeTimeout = time.Second
)

// WaitReady implements emulator.Runner: it asks /readyz, as a kubelet does.
func (p *Process) WaitReady(ctx context.Context) error {
	if p.probe == "" {
		return ctx.Err()
	}
	client := &http.Client{Timeout: probeTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.probe+"/readyz", http.NoBody)
		if err != nil {
			return false, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	})
}
