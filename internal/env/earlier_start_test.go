package env_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

func TestOfEarlierStart(t *testing.T) {
	t.Parallel()
	const now, before = "http://127.0.0.1:9000", "http://127.0.0.1:8000"
	continued := description.Info{DataDir: "/data", S3Endpoint: now, AzureEndpoint: "http://127.0.0.1:9001"}
	fromSnapshot, fresh, own := continued, continued, continued
	fromSnapshot.DataDir, fromSnapshot.Snapshot = "", "/a.cosisnap"
	fresh.DataDir = ""
	own.DriverServiceAccount = "/serviceaccount"
	for name, tc := range map[string]struct {
		reason, value string
		info          description.Info
		want          bool
	}{
		"Before":      {"the sidecar has not written it yet", before, continued, true},
		"Snapshot":    {"it is of the emulator of the snapshot", before, fromSnapshot, true},
		"Token":       {"the address is in a token of Azure", before + "/account/bucket?sig=1", continued, true},
		"Now":         {"it is the store's", now, continued, false},
		"NowAzure":    {"it is the service's", "http://127.0.0.1:9001/account/bucket?sig=1", continued, false},
		"VirtualHost": {"the bucket is in the host", "https://s3.localhost:9000", continued, false},
		"NoAddress":   {"it is a key", "AKIA:8000", continued, false},
		"Fresh":       {"there was no earlier start", before, fresh, false},
		"OwnDriver":   {"the service is the user's", before, own, false},
	} {
		if got := env.OfEarlierStart(tc.info, []env.Variable{{Name: "A", Value: "x"}, {Name: "B", Value: tc.value}}); got != tc.want {
			t.Errorf("%s: OfEarlierStart() = %t, want %t: %s", name, got, tc.want, tc.reason)
		}
	}
}
