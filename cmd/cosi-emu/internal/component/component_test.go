package component

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

// TestEndpoint: driver and sidecar use the socket of COSI_ENDPOINT, unless a flag names
// another one.
func TestEndpoint(t *testing.T) {
	const socket = "unix:///run/mine.sock"
	for _, of := range []struct {
		name string
		make func(cli.Streams) *cobra.Command
	}{
		// Spec: A1-PROTO-5
		{"driver", NewDriver},
		{"static-driver", NewStaticDriver},
		// Spec: A1-CONFIG-2
		{"sidecar", NewSidecar},
	} {
		t.Run(of.name, func(t *testing.T) {
			for name, tc := range map[string]struct {
				variable, want string
				args           []string
			}{
				"Default":  {"", defaultEndpoint, nil},
				"Variable": {socket, socket, nil},
				"Flag":     {socket, "unix:///other.sock", []string{"--endpoint", "unix:///other.sock"}},
			} {
				t.Setenv("COSI_ENDPOINT", tc.variable)
				cmd := of.make(cli.Streams{})
				if err := cmd.ParseFlags(tc.args); err != nil {
					t.Fatal(err)
				}
				if got := cmd.Flags().Lookup("endpoint").Value.String(); got != tc.want {
					t.Errorf("%s: the endpoint is %q, want %q", name, got, tc.want)
				}
			}
		})
	}
}
