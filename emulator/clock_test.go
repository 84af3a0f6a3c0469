package emulator_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestClockOfStore puts the store's clock forward at an application's second upload,
// and from the start of an incarnation: signatures are too old then, and presigned
// URLs have expired, until the fault is removed.
func TestClockOfStore(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	b := openBucket(s.secret())
	presigned, err := s3.NewPresignClient(b.client).PresignGetObject(t.Context(),
		&s3.GetObjectInput{Bucket: b.name, Key: new("k")}, s3.WithPresignExpires(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	uses := func() []string {
		b := openBucket(s.secret()) // connections to an earlier incarnation of the store are of no use
		return []string{codeOf(t, b.put(t.Context(), "k", "v")), http.StatusText(visit(t, presigned.URL))}
	}
	right, wrong := []string{"", "OK"}, []string{"RequestTimeTooSkewed", "Forbidden"}
	inject(t, emu, "later", fault.Match{
		Seam: journal.SeamStore, Component: emulator.ComponentStore, Operation: "PutObject", Nth: 2,
	}, fault.Effect{Clock: 2 * time.Hour})
	for n, want := range [][]string{right, wrong, wrong} {
		if got := uses(); !slices.Equal(got, want) {
			t.Errorf("use %d: %q, want %q", n+1, got, want)
		}
	}
	expectFaults(t, emu, map[string]string{"later": "store PutObject RequestTimeTooSkewed"})
	emu.Faults().Clear()
	if got := uses(); !slices.Equal(got, right) {
		t.Errorf("with the right time: %q, want %q", got, right)
	}
	inject(t, emu, "start", fault.Match{
		Seam: journal.SeamProcess, Component: emulator.ComponentStore, Nth: 1,
	}, fault.Effect{Clock: 2 * time.Hour})
	for n, want := range [][]string{wrong, right} {
		if err := emu.Component(emulator.ComponentStore).Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := uses(); !slices.Equal(got, want) {
			t.Errorf("in incarnation %d after that: %q, want %q", n+1, got, want)
		}
	}
}

// visit returns the status of a URL.
func visit(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}
