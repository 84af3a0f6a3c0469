package bucketaccess

import (
	"testing"
	"time"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func TestRenewalTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		reason  string
		expires string
		want    time.Duration // from now; 0 for never
	}{
		"Hour":    {"the application has the last fifth to read the Secret again", "2027-03-01T13:00:00Z", 48 * time.Minute},
		"Zone":    {"it is a time like any other", "2027-03-01T14:00:00+01:00", 48 * time.Minute},
		"Short":   {"the driver is not asked again at once", "2027-03-01T12:00:05Z", minRenewal},
		"Expired": {"a driver that returns it does so again", "2027-03-01T12:00:00Z", 0},
		"Not":     {"it does not expire", "", 0},
		"Text":    {"only times are understood", "tomorrow", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := renewalTime(now, &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{ExpiryTimestamp: tc.expires}})
			if at.IsZero() != (tc.want == 0) || tc.want != 0 && !at.Equal(now.Add(tc.want)) {
				t.Errorf("%s: renewed at %s, want %s after %s", tc.reason, at, tc.want, now)
			}
		})
	}
	if at := renewalTime(now, nil); !at.IsZero() {
		t.Errorf("without credentials, renewed at %s", at)
	}
}
