package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

var errHandshake = &url.Error{Op: "Patch", URL: "https://127.0.0.1", Err: errors.New("net/http: TLS handshake timeout")}

var errEtcd = errors.New("rpc error: code = Unavailable desc = etcd is down")

func TestRepeat(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		down time.Duration // requests fail with outage until then
		as   error
		then error
		want error
		took time.Duration
	}{
		"Up":           {0, errRefused, nil, nil, 0},
		"Error":        {0, errRefused, broken, broken, 0},
		"Restarts":     {50 * time.Millisecond, errRefused, nil, nil, 3 * connectInterval},
		"StaysDown":    {time.Hour, errRefused, nil, syscall.ECONNREFUSED, limit},
		"ErrorAtReady": {50 * time.Millisecond, errRefused, broken, broken, 3 * connectInterval},
		"Opened":       {50 * time.Millisecond, errHandshake, nil, nil, 3 * connectInterval},
		"EtcdDown":     {50 * time.Millisecond, errEtcd, nil, nil, 3 * connectInterval},
		"Truncated":    {50 * time.Millisecond, fmt.Errorf("read the body: %w", io.ErrUnexpectedEOF), nil, nil, 3 * connectInterval},
		"Cut":          {50 * time.Millisecond, io.ErrUnexpectedEOF, nil, nil, 3 * connectInterval},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				started := time.Now()
				err := repeat(ctx, isOutage, func() error {
					if time.Since(started) < tc.down {
						return tc.as
					}
					return tc.then
				})
				if took := time.Since(started); !errors.Is(err, tc.want) || took != tc.took {
					t.Errorf("repeat() = %v after %s, want %v after %s", err, took, tc.want, tc.took)
				}
			})
		})
	}
}
