package node

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// effect is what a fault does to an operation of the node adapter.
type effect string

const (
	fails      effect = "fails"       // the operation does not happen
	losesReply effect = "loses reply" // it happens, and the adapter gets an error
	crashes    effect = "crashes"     // the adapter ends before it: nothing happens any more
)

var errFault = errors.New("a fault of the test")

// faults has a fault at one operation: a request to the API server, or a change of records, directories and files.
type faults struct {
	at      int // 1 for the first operation
	effect  effect
	crash   func() // nil for an adapter whose further operations fail
	seen    int
	crashed bool
}

func (f *faults) do(operation func() error) error {
	if f.crashed {
		return errFault
	}
	f.seen++
	if f.seen != f.at {
		return operation()
	}
	switch f.effect {
	case losesReply:
		return errors.Join(errFault, operation())
	case crashes:
		if f.crash != nil {
			f.crash()
		}
		f.crashed = true
	default:
	}
	return errFault
}

// instance returns an adapter with the faults.
func (f *faults) instance(s *scene) *service {
	s.Helper()
	own := *s
	own.config = rest.CopyConfig(s.config)
	own.config.Wrap(func(base http.RoundTripper) http.RoundTripper { return faultyTransport{f, base} })
	node := own.service()
	node.records, node.medium = faultyRecords{node.records, f}, faultyMedium{node.medium, f}
	write := node.write
	node.write = func(dir string, files map[string]atomicvolume.File) (changed bool, err error) {
		err = f.do(func() error {
			changed, err = write(dir, files)
			return err
		})
		return changed, err
	}
	return node
}

type faultyTransport struct {
	faults *faults
	base   http.RoundTripper
}

func (t faultyTransport) RoundTrip(request *http.Request) (response *http.Response, err error) {
	err = t.faults.do(func() error {
		response, err = t.base.RoundTrip(request) //nolint:bodyclose // the client closes it, or the lines below
		return err
	})
	if err != nil && response != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return response, err
}

// WrappedRoundTripper leads client-go to the connections, to close them.
func (t faultyTransport) WrappedRoundTripper() http.RoundTripper { return t.base }

type faultyRecords struct {
	volume.Records

	faults *faults
}

func (r faultyRecords) Save(record *volume.Record) error {
	return r.faults.do(func() error { return r.Records.Save(record) })
}

func (r faultyRecords) Delete(key string) error {
	return r.faults.do(func() error { return r.Records.Delete(key) })
}

type faultyMedium struct {
	volume.Medium

	faults *faults
}

func (m faultyMedium) Create(dir string) error {
	return m.faults.do(func() error { return m.Medium.Create(dir) })
}

func (m faultyMedium) Remove(dir string) error {
	return m.faults.do(func() error { return m.Medium.Remove(dir) })
}

// story is the life of a volume with one instance: publish, rotation, unpublish. It goes on after an error, as the
// kubelet does for a Pod that is deleted before it has started.
func story(s *scene, node *service) error {
	published := s.publish(node)
	s.hasSecret("photos", "key-2")
	again := s.publish(node)
	return errors.Join(published, again, s.unpublish(node))
}

// TestFaults: whatever fails, and wherever the adapter ends, a repeated call succeeds, and nothing is left in the end.
// Design: CSI-NODE-8
func TestFaults(t *testing.T) {
	forEach(t, func(t *testing.T, version objectstorage.Version) {
		t.Helper()
		count := &faults{}
		s := newScene(t, version)
		s.hasAll()
		s.Must(story(s, count.instance(s)))
		if count.seen < 10 {
			t.Fatalf("the story has %d operations, want at least 10", count.seen)
		}
		effects := []effect{fails, losesReply, crashes}
		if version == objectstorage.V1alpha1 {
			effects = effects[2:] // the versions differ only in what is read
		}
		for _, effect := range effects {
			for at := 1; at <= count.seen; at++ {
				t.Run(fmt.Sprintf("%s/%d", effect, at), func(t *testing.T) {
					s := newScene(t, version)
					s.hasAll()
					f := &faults{at: at, effect: effect}
					_ = story(s, f.instance(s)) // the fault may or may not be seen
					if f.seen < at {
						t.Errorf("the story had %d operations, want %d", f.seen, at)
					}
					s.expectRecovery()
				})
			}
		}
	})
}

// expectRecovery expects that another instance has all that it needs: for the Pod, if it runs, and for its end.
func (s *scene) expectRecovery() {
	s.Helper()
	node := s.service()
	s.retried("publish", func() error { return s.publish(node) })
	if got := s.file("AWS_SECRET_ACCESS_KEY"); got != "key-2" {
		s.Errorf("the key is %q, want key-2", got)
	}
	s.expectUsed()
	s.retried("unpublish", func() error { return s.unpublish(node) })
	s.Must(node.sweep(s.Context()))
	s.expectNothingLeft()
}

// TestFaultsOfLostPods: the Pod of a crashed adapter does not exist any more, and no call comes. The next sweep removes
// all that is left.
func TestFaultsOfLostPods(t *testing.T) {
	count := &faults{}
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	s.Must(story(s, count.instance(s)))
	for at := 1; at <= count.seen; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			s.hasAll()
			_ = story(s, (&faults{at: at, effect: crashes}).instance(s)) // it crashes
			s.Remove(s.pod)
			s.Must(s.service().sweep(t.Context()))
			s.expectNothingLeft()
		})
	}
}
