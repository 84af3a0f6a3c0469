package authentication_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// hostile is a request that must be rejected.
type hostile struct {
	name    string
	request []byte
	// want are the allowed outcomes: codes of S3's errors, or the HTTP statuses of net/http's own
	// rejections and of responses to HEAD.
	want []string
}

// hostilities makes wrong requests with a good key's signature.
type hostilities struct {
	t   *testing.T
	s   *s3test.Server
	key fakedriver.Credentials
	all []hostile
}

func (h *hostilities) add(name string, request []byte, want ...string) {
	h.all = append(h.all, hostile{name, request, want})
}

// signed returns a correct request, which the caller corrupts.
func (h *hostilities) signed(method, path, body string, change ...func(*http.Request)) s3test.Wire {
	in := s3test.Signed{
		Method: method, Path: path, Body: body, Credentials: h.key, Region: h.s.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) {
			for _, f := range change {
				f(r)
			}
		},
	}
	return in.Wire(h.t, h.s)
}

// TestHostileRequests sends hundreds of requests, each on a connection of its own. Each must be
// rejected with the correct error, without a panic, and its connection must end. Together they must
// leave nothing behind: synctest reports remaining goroutines.
func TestHostileRequests(t *testing.T) { synctest.Test(t, testHostileRequests) }

func testHostileRequests(t *testing.T) {
	t.Helper()
	var panics safeBuffer
	s := s3test.ServeInMemory(t, s3test.Options{
		MaxBodyBytes: 1 << 20, HeaderTimeout: 300 * time.Millisecond, IdleTimeout: 100 * time.Millisecond, BodyTimeout: 300 * time.Millisecond,
		WebIdentity: s3test.WebIdentities,
		Logger:      funcr.New(func(prefix, args string) { panics.add(prefix + " " + args) }, funcr.Options{}),
	})
	s.Bucket(t, "photos", func(spec *fakedriver.BucketSpec) { spec.Versioning = true })
	s.Bucket(t, "other")
	h := &hostilities{t: t, s: s, key: s.Account(t, "app", s3test.ReadWrite("photos"))}
	c := s.Client(t, h.key)
	s3test.Put(t, c, "kept", "kept")
	h.authorizations()
	h.dates()
	h.presigned()
	h.lengths()
	h.chunks()
	h.paths()
	h.subresources()
	h.queries()
	h.floods()
	h.silences()
	h.forms()
	h.preflights()
	h.protocols()
	h.knownPanics()
	t.Logf("%d requests", len(h.all))
	if len(h.all) < 200 {
		t.Errorf("there are %d requests, want at least 200", len(h.all))
	}
	h.checkMemory()
	if lines := panics.lines(); len(lines) > 0 {
		t.Errorf("errors of the store's own:\n%s", strings.Join(lines, "\n"))
	}
	if got := s3test.Get(t, c, "kept"); got != "kept" {
		t.Errorf("the object was changed to %q", got)
	}
}

// checkMemory sends all requests. A hostile one must not make the store allocate much more than an
// ordinary one, and most of the memory must be released.
func (h *hostilities) checkMemory() {
	h.t.Helper()
	const atMost, released = 4, 0.8
	ordinary := h.signed(http.MethodGet, "/photos/kept", "").Bytes()
	before := s3test.Heap()
	h.exchangeAll(slices.Repeat([]hostile{{"ordinary", ordinary, []string{"200"}}}, len(h.all)))
	between := s3test.Heap()
	h.exchangeAll(h.all)
	time.Sleep(2 * s3test.Patience) //nolint:forbidigo // the bubble's time, after which no timer of a connection holds its buffers
	synctest.Wait()
	after := s3test.Heap()
	want, got := float64(between.TotalAlloc-before.TotalAlloc), float64(after.TotalAlloc-between.TotalAlloc)
	kept := float64(after.HeapAlloc) - float64(between.HeapAlloc)
	h.t.Logf("bytes: ordinary requests allocate %.0f, hostile ones %.0f, of which %.0f are kept", want, got, kept)
	if got > atMost*want {
		h.t.Errorf("%d requests allocate %.0f bytes, and ordinary ones %.0f", len(h.all), got, want)
	}
	if kept > (1-released)*got {
		h.t.Errorf("%.0f bytes were kept of %.0f that %d requests have allocated", kept, got, len(h.all))
	}
}

// exchangeAll sends requests, several at once, and checks the responses.
func (h *hostilities) exchangeAll(requests []hostile) {
	var senders sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, one := range requests {
		slots <- struct{}{}
		senders.Go(func() {
			defer func() { <-slots }()
			status, body := s3test.ExchangeBytes(h.t, h.s, one.request)
			got := s3test.CodeOf(body)
			if got == "" {
				got = fmt.Sprint(status)
			}
			if !slices.Contains(one.want, got) {
				h.t.Errorf("%s: %s, want %s\n%.200q\nanswer %d: %.300s", one.name, got, strings.Join(one.want, " or "), one.request, status, body)
			}
		})
	}
	senders.Wait()
}

// safeBuffer keeps the lines that are logged as errors.
type safeBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *safeBuffer) add(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all.WriteString(line + "\n")
}

func (b *safeBuffer) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(strings.Split(b.all.String(), "\n"), func(line string) bool {
		// Errors of the lookup of identities are expected.
		return line == "" || strings.Contains(line, "a web identity could not be looked up")
	})
}
