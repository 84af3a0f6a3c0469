package fakedriver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func TestCredentialsValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, id, secret, want string
	}{
		"LocalStack": {"Its users have this key.", "test", "test", ""},
		"Amazon":     {"The form of AWS.", "AKIA0", "wJalr/K7+x=", ""},
		"NoID":       {"Requests name the key.", "", "secret", `access key ID ""`},
		"Slash":      {"It separates the parts of a scope.", "a/b", "secret", `access key ID "a/b"`},
		"Colon":      {"GCS has a token ID:SECRET.", "a:b", "secret", `access key ID "a:b"`},
		"Letter":     {"Headers are ASCII.", "schlüssel", "secret", "access key ID"},
		"NoSecret":   {"Anyone could sign.", "app", "", `secret access key of "app"`},
		"Space":      {"Tools trim it.", "app", "my secret", `secret access key of "app"`},
	} {
		err := fakedriver.Credentials{AccessKeyID: tc.id, SecretAccessKey: tc.secret}.Validate()
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (!errors.Is(err, fakedriver.ErrInvalid) || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %s Validate() = %v, want %q", name, tc.reason, err, tc.want)
		case err != nil && strings.Contains(err.Error(), "my secret"):
			t.Errorf("%s: the error has the secret: %v", name, err)
		}
	}
}
