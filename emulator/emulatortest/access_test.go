package emulatortest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// failing is a test that records the message with which it fails.
type failing struct {
	testing.TB

	message string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestClaimRejected: a test whose claim cannot become ready ends with the cause, which is in the status of the Bucket.
func TestClaimRejected(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}})
	namespace := emulatortest.Namespace(t)
	test, ended := &failing{TB: t}, make(chan struct{})
	go func() {
		defer close(ended)
		emulatortest.Claim(test, emu, namespace, "photos")
	}()
	<-ended
	for _, want := range []string{"/photos is not ready, and COSI does not retry", "Bucket ", "serves only [GCS]"} {
		if !strings.Contains(test.message, want) {
			t.Errorf("the test does not fail with %q, but: %s", want, test.message)
		}
	}
}
