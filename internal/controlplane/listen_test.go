package controlplane

import "testing"

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
