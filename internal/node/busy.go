package node

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// busy has the volumes with an operation in flight: the kubelet repeats a call whose answer it has not seen.
type busy struct {
	mu      sync.Mutex
	volumes map[string]bool
}

// begin starts an operation on a volume by its key. It returns Aborted during another one.
func (b *busy) begin(key string) (end func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.volumes[key] {
		return nil, status.Error(codes.Aborted, "another operation on the volume is in progress; try again later")
	}
	if b.volumes == nil {
		b.volumes = map[string]bool{}
	}
	b.volumes[key] = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.volumes, key)
	}, nil
}
