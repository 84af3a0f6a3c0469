package controlplane

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

func TestListenValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		listen Listen
		valid  bool
	}{
		"Zero":            {"It is the loopback address.", Listen{}, true},
		"All":             {"Servers can listen on all addresses.", Listen{Address: "0.0.0.0"}, true},
		"Host":            {"Clients know a name.", Listen{Address: "0.0.0.0", Advertise: "cosi.example.com"}, true},
		"Name":            {"A name may have several addresses.", Listen{Address: "localhost"}, false},
		"AdvertiseAlone":  {"Other machines cannot reach loopback.", Listen{Advertise: "cosi.example.com"}, false},
		"AdvertiseAll":    {"Clients cannot connect to all addresses.", Listen{Address: "192.0.2.7", Advertise: "0.0.0.0"}, false},
		"AdvertiseNoHost": {"Clients resolve DNS names.", Listen{Address: "192.0.2.7", Advertise: "cosi_emu"}, false},
	} {
		if err := tc.listen.Validate(); (err == nil) != tc.valid {
			t.Errorf("%s: %s Validate() = %v", name, tc.reason, err)
		}
	}
}

// TestListenNames: the certificate is valid for the host by which clients connect.
func TestListenNames(t *testing.T) {
	loopback := []string{tcpport.Loopback, "::1", "localhost"}
	for name, tc := range map[string]struct {
		listen Listen
		want   []string
	}{
		"Default":   {Listen{}, nil},
		"Same":      {Listen{Address: "::1"}, nil},
		"Second":    {Listen{Address: "127.0.0.2"}, []string{"127.0.0.2"}},
		"Advertise": {Listen{Address: "127.0.0.1", Advertise: "proxy.example.com"}, []string{"proxy.example.com"}},
		"Machine":   {Listen{Address: "192.0.2.7"}, []string{"192.0.2.7"}},
		"Name":      {Listen{Address: "192.0.2.7", Advertise: "build-7"}, []string{"192.0.2.7", "build-7"}},
	} {
		if diff := cmp.Diff(append(slices.Clone(loopback), tc.want...), tc.listen.Names()); diff != "" {
			t.Errorf("%s: Names(): -want, +got:\n%s", name, diff)
		}
	}
}
