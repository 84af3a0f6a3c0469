package emulator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func everyProtocol() emulator.Options {
	return emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}}
}

// use makes the story be of a protocol and of modes.
func (s *story) use(protocol v1alpha2.Protocol, modes v1alpha2.BucketAccessModes) *story {
	s.claim.Spec.Protocols = []v1alpha2.Protocol{protocol}
	s.access.Spec.Protocol = protocol
	s.access.Spec.BucketClaims[0].AccessModes = modes
	return s
}

// TestAzureSecret is what there is of Azure.
func TestAzureSecret(t *testing.T) {
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolAzure, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly})
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	account, token := secret[v1alpha2.SecretKeyAzureStorageAccount], secret[v1alpha2.SecretKeyAzureSASToken]
	if secret["COSI_PROTOCOL"] != "Azure" || account == "" || !strings.HasPrefix(token, "https://"+account+".blob.cosi-emu.invalid/") {
		t.Errorf("the Secret is %v", secret)
	}
	if expires, ok := secret[v1alpha2.SecretKeyAzureSASTokenExpires]; !ok || expires != "" {
		t.Errorf("the token ends %q, %t", expires, ok)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	if accounts, err := emu.Store().Accounts(t.Context()); err != nil || len(accounts) > 1 { // the administrator's stays
		t.Errorf("left: %v, %v", accounts, err)
	}
}

// TestProtocolOptions: invalid options are rejected before anything starts.
func TestProtocolOptions(t *testing.T) {
	for name, opts := range map[string]emulator.Options{
		"Unknown": {Protocols: []fakedriver.Protocol{"FTP"}},
		"None":    {Protocols: []fakedriver.Protocol{}},
		"Twice":   {Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS, fakedriver.ProtocolGCS}},
		"Port":    {GCSPort: 9090},
		"Range":   {Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}, GCSPort: 65536},
		"Driver":  {Driver: "unix:///tmp/driver.sock", Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}},
	} {
		emu, err := emulator.Start(t.Context(), opts)
		if err == nil {
			t.Fatalf("%s: Start() succeeded, and Stop() = %v", name, emu.Stop(t.Context()))
		}
		if !errors.Is(err, emulator.ErrOptions) {
			t.Errorf("%s: Start() = %v", name, err)
		}
	}
}
