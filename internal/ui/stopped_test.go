package ui_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/ui"
	"github.com/cosi-emu/cosi-emu/test/browser"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// anotherPage starts a page of its own for an emulator. The page ends with the test at the latest.
func (s *stage) anotherPage(t *testing.T) *ui.Page {
	t.Helper()
	page, err := ui.Start(t.Context(), ui.Options{Emulator: s.emu, Faults: s.emu.Faults(), Name: sessionName, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopPage(t, page) }) // also of a test that is skipped, as there is no browser
	return page
}

func stopPage(t *testing.T, page *ui.Page) {
	t.Helper()
	if err := page.Close(harness.Context(t)); err != nil {
		t.Error(err)
	}
}

// TestStopped: an open page learns that the emulator has stopped.
func TestStopped(t *testing.T) {
	page := start(t, emulator.Options{}).anotherPage(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.URL()+"stream", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	stopPage(t, page)
	stream, err := io.ReadAll(response.Body)
	if err != nil || !strings.HasSuffix(string(stream), "event: stopped\ndata: {}\n\n") {
		t.Errorf("the stream ends with %q, %v; want the event stopped", string(stream[max(0, len(stream)-80):]), err)
	}
}

// TestStoppedPage: an open page shows that the emulator has stopped, and keeps its last state.
func TestStoppedPage(t *testing.T) {
	s := start(t, emulator.Options{})
	page := s.anotherPage(t)
	b := browser.Start(t)
	b.Open(page.URL())
	shown(b, "#dot.on")
	shown(b, selector("BucketClass", "standard", ""))
	stopPage(t, page)
	b.AwaitText("#state", "the emulator has stopped; this page shows its last state")
	shown(b, "#dot.off")
	shown(b, selector("BucketClass", "standard", ""))
}
