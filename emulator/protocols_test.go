package emulator_test

import (
	"errors"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
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
