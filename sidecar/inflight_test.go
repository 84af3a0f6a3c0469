package sidecar_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// meter counts the calls in flight for each bucket. A gate that is closed holds calls
// in the driver.
type meter struct {
	mu       sync.Mutex
	inFlight map[string]int
	most     int
	total    int
	gate     chan struct{}
}

// watch has a driver measure the calls that change something.
func (m *meter) watch(d *drivertest.Driver) {
	for _, method := range []string{"DriverCreateBucket", "DriverDeleteBucket", "DriverGrantBucketAccess", "DriverRevokeBucketAccess"} {
		d.Script(method, func(ctx context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
			buckets := bucketsOf(request)
			m.add(buckets, 1)
			defer m.add(buckets, -1)
			select {
			case <-m.gate:
			case <-ctx.Done():
			}
			return next()
		})
	}
}

func (m *meter) add(buckets []string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += max(n, 0)
	for _, bucket := range buckets {
		m.inFlight[bucket] += n
		m.most = max(m.most, m.inFlight[bucket])
	}
}

func (m *meter) counts() (most, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most, m.total
}

func bucketsOf(request proto.Message) []string {
	var buckets []string
	switch r := request.(type) {
	case *cosiv1alpha2.DriverGrantBucketAccessRequest:
		for _, b := range r.GetBuckets() {
			buckets = append(buckets, b.GetBucketId())
		}
	case *cosiv1alpha2.DriverRevokeBucketAccessRequest:
		for _, b := range r.GetBuckets() {
			buckets = append(buckets, b.GetBucketId())
		}
	case interface{ GetBucketId() string }:
		buckets = append(buckets, r.GetBucketId())
	}
	return buckets
}

// TestOneCallForEachBucket: accesses to one bucket wait for each other, also if one of
// them is to several buckets. They hold no worker, so an access to another bucket is
// granted meanwhile.
// Known failure: E96
func TestOneCallForEachBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.Workers = 2
	cl.start()
	busy, also, free := cl.readyBucket(), cl.readyBucket(), cl.readyBucket()
	cl.settle()
	m := &meter{inFlight: map[string]int{}, gate: make(chan struct{})}
	m.watch(cl.driver)
	var accesses []*v1alpha2.BucketAccess
	for _, buckets := range [][]*v1alpha2.Bucket{{busy}, {busy, also}, {busy}, {also}} {
		access := cl.access(buckets)
		accesses = append(accesses, access)
		cl.Eventually(func() error { // it comes before the next one, since there is one free worker
			if err := cl.Refresh(access); err != nil || access.Status.AccountID == "" {
				return fmt.Errorf("no account ID yet (%w)", err)
			}
			return nil
		})
	}
	harness.Settle(cl, "calls", func() int { _, total := m.counts(); return total })
	if most, total := m.counts(); most != 1 || total != 1 {
		t.Errorf("%d calls in flight for one bucket, %d in all; want 1 and 1: the others wait for the first", most, total)
	}
	cl.driver.Script("DriverGrantBucketAccess", nil)
	cl.WaitReady(cl.access([]*v1alpha2.Bucket{free}))
	m.watch(cl.driver)
	close(m.gate)
	for _, access := range accesses {
		cl.WaitReady(access)
		cl.Must(cl.Delete(t.Context(), access))
	}
	for _, access := range accesses {
		cl.isHandedBack(access)
	}
	if most, _ := m.counts(); most != 1 {
		t.Errorf("%d calls in flight for one bucket, want 1", most)
	}
}
