package main_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/harness"
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

// TestDataOfKilled kills an emulator while clients create claims. All acknowledged claims are there again, and become
// ready.
func TestDataOfKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	data := filepath.Join(h.dir, "data")
	info := h.up("--data-dir", data)
	c := connect(t, info.Kubeconfig)
	acknowledged := h.writeAndKill(info, 40, func(client, i int) (name, uid string, err error) {
		claim := &v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: fmt.Sprintf("claim-%d-%d", client, i)},
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		}
		err = c.client.Create(t.Context(), claim)
		return claim.Name, string(claim.UID), err
	})
	info = h.up("--data-dir", data)
	c = connect(t, info.Kubeconfig)
	harness.Until(t, "all acknowledged claims are ready", func(ctx context.Context) (bool, error) {
		claims := &v1alpha2.BucketClaimList{}
		if err := c.client.List(ctx, claims); err != nil {
			return false, err
		}
		ready := map[string]string{}
		for i := range claims.Items {
			if claim := &claims.Items[i]; claim.Status.ReadyToUse {
				ready[claim.Name] = string(claim.UID)
			}
		}
		maps.DeleteFunc(ready, func(name, _ string) bool { return acknowledged[name] == "" })
		return maps.Equal(ready, acknowledged), nil
	})
	h.must("down")
}

// useAndKill puts objects with several clients, kills the emulator after some, and returns the
// acknowledged ones.
func (h *home) useAndKill(info instance.Info, b bucket, round int) map[string]string {
	h.t.Helper()
	return h.writeAndKill(info, 100, func(client, i int) (key, text string, err error) {
		key = fmt.Sprintf("%d/%d/%d", round, client, i)
		text = strings.Repeat(key+" ", 1+i%3*10_000)
		_, err = b.client.PutObject(h.t.Context(), &s3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(text)})
		return key, text, err
	})
}

// writeAndKill writes with several clients, kills the emulator after some writes, and returns the values of those that
// were acknowledged, by their names.
func (h *home) writeAndKill(info instance.Info, enough int, write func(client, i int) (name, value string, err error)) map[string]string {
	h.t.Helper()
	const clients = 8
	var mu sync.Mutex
	var busy sync.WaitGroup
	acknowledged := map[string]string{}
	ready := make(chan struct{})
	for client := range clients {
		busy.Go(func() {
			for i := 0; ; i++ {
				name, value, err := write(client, i)
				if err != nil {
					return // killed, as the number of writes shows
				}
				mu.Lock()
				if acknowledged[name] = value; len(acknowledged) == enough {
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
