package ui_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/ui"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestStopped: an open page learns that the emulator has stopped.
func TestStopped(t *testing.T) {
	s := start(t, emulator.Options{})
	page, err := ui.Start(t.Context(), ui.Options{Emulator: s.emu, Faults: s.emu.Faults(), Name: sessionName, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.URL()+"stream", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Timeout)
	defer cancel()
	if err := page.Close(ctx); err != nil {
		t.Fatal(err)
	}
	stream, err := io.ReadAll(response.Body)
	if err != nil || !strings.HasSuffix(string(stream), "event: stopped\ndata: {}\n\n") {
		t.Errorf("the stream ends with %q, %v; want the event stopped", string(stream[max(0, len(stream)-80):]), err)
	}
}
