package fault

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestDefaults: a fault needs neither a name nor the seam that its operation implies.
func TestDefaults(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		name       string
		args       []string
		want, seam string // the name and the seam; none is an error
	}{
		"Operation": {"It is in one seam only.", "", []string{"--operation", "DriverCreateBucket"}, "DriverCreateBucket", "rpc"},
		"Pattern":   {"A pattern has a name and a seam, too.", "", []string{"--operation", "patch bucket*"}, "patch-bucket", "api"},
		"Seam":      {"All operations of a seam.", "", []string{"--seam", "store"}, "store", "store"},
		"Name":      {"It is kept.", "away", []string{"--seam", "rpc"}, "away", "rpc"},
		"Wrong":     {"The seam that is given counts.", "", []string{"--seam", "store", "--operation", "DriverCreateBucket"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, flags := &faultFlags{}, pflag.NewFlagSet("add", pflag.ContinueOnError)
			f.add(flags)
			if err := flags.Parse(append(tc.args, "--delay", "1s")); err != nil {
				t.Fatal(err)
			}
			got, err := f.fault(tc.name)
			if tc.want == "" {
				if err == nil || !strings.Contains(err.Error(), "that is an operation of seam rpc") {
					t.Errorf("%s\nerror %v, want the right seam", tc.reason, err)
				}
				return
			}
			if err != nil || got.Name != tc.want || string(got.Seam) != tc.seam {
				t.Errorf("%s\nfault %q at seam %q, %v; want %q at %q", tc.reason, got.Name, got.Seam, err, tc.want, tc.seam)
			}
		})
	}
}
