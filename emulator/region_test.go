package emulator_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestRegion: Secrets have the region of the store, for which requests must be signed.
func TestRegion(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{S3Region: "us-west-2"})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	if got := secret[v1alpha2.SecretKeyS3Region]; got != "us-west-2" || emu.Info().S3Region != got {
		t.Errorf("region %q in the Secret, %q in the description, want us-west-2", got, emu.Info().S3Region)
	}
	if err := openBucket(secret).put(t.Context(), "k", "v"); err != nil {
		t.Error(err)
	}
	secret[v1alpha2.SecretKeyS3Region] = fakedriver.DefaultRegion
	if got := codeOf(t, openBucket(secret).put(t.Context(), "k", "v")); got != "AuthorizationHeaderMalformed" {
		t.Errorf("a request for another region: %q, want AuthorizationHeaderMalformed", got)
	}
}
