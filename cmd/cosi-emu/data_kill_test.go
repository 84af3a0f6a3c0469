package main_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// TestLongDataInUse kills an emulator repeatedly, while clients put objects, and expects all
// acknowledged objects.
func TestLongDataInUse(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	data := filepath.Join(h.dir, "data")
	info := h.up("--data-dir", data)
	secret := connect(t, info.Kubeconfig).quickstart()
	openBucket(secret).put(t, "hello.txt", "hello")

	acknowledged := map[string]string{}
	for round := range 2 {
		maps.Copy(acknowledged, h.useAndKill(info, openBucket(secret), round))
		info = h.up("--data-dir", data)
		secret = expectData(t, info, secret)
		b := openBucket(secret)
		for key, want := range acknowledged {
			if got := b.get(t, key); got != want {
				t.Errorf("object %s has %d bytes that are not the %d that were put", key, len(got), len(want))
			}
		}
	}
	h.must("down")
}

// useAndKill puts objects with several clients, kills the emulator after some, and returns the
// acknowledged ones.
func (h *home) useAndKill(info instance.Info, b bucket, round int) map[string]string {
	h.t.Helper()
	const clients, enough = 8, 100
	var mu sync.Mutex
	var busy sync.WaitGroup
	acknowledged := map[string]string{}
	ready := make(chan struct{})
	for client := range clients {
		busy.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%d/%d/%d", round, client, i)
				text := strings.Repeat(key+" ", 1+i%3*10_000)
				in := &s3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(text)}
				if _, err := b.client.PutObject(h.t.Context(), in); err != nil {
					return // killed, as the number of objects shows
				}
				mu.Lock()
				if acknowledged[key] = text; len(acknowledged) == enough {
					close(ready)
				}
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() { defer close(ended); busy.Wait() }()
	select {
	case <-ready:
	case <-ended:
		h.t.Error("the clients have ended before the emulator was killed")
	}
	h.killEmulator(info)
	<-ended
	return acknowledged
}
