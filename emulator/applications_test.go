package emulator_test

import (
	"errors"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

// TestAccessIsForItsBucketsAlone: the credentials of one access are of no use for
// the bucket of another claim, neither to read nor to write.
// KEP: API-ACCESS-3
func TestAccessIsForItsBucketsAlone(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	ours, theirs := newStory(t, emu), newStory(t, emu)
	for _, s := range []*story{ours, theirs} {
		s.create(s.claim, s.access)
		s.waitReady()
	}
	other := openBucket(ours.secret())
	other.name = openBucket(theirs.secret()).name
	_, read := other.list(t.Context())
	for what, err := range map[string]error{"read": read, "write": other.put(t.Context(), "hello.txt", "hello")} {
		if rejected, ok := errors.AsType[smithy.APIError](err); !ok || rejected.ErrorCode() != "AccessDenied" {
			t.Errorf("%s in a bucket that the access does not refer to: %v", what, err)
		}
	}
}

// TestApplicationsOutliveTheComponents: COSI is not in the way of the data.
// KEP: PRR-4
func TestApplicationsOutliveTheComponents(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	bucket := openBucket(s.secret())
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar, emulator.ComponentDriver} {
		if err := emu.Component(name).Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := bucket.put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Errorf("without the components: %v", err)
	}
	for _, name := range []string{emulator.ComponentDriver, emulator.ComponentSidecar, emulator.ComponentController} {
		if err := emu.Component(name).Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.waitReady()
	if err := bucket.put(t.Context(), "again.txt", "hello again"); err != nil {
		t.Errorf("after they have come back: %v", err)
	}
}
