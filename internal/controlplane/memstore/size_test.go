package memstore

import (
	"strings"
	"testing"
)

// TestCheckSize: the limits are about the whole request, which has the key, too.
func TestCheckSize(t *testing.T) {
	const key = "/registry/things/one"
	for name, tc := range map[string]struct {
		bytes int
		write write
		want  string // in the error
	}{
		"Small":       {bytes: 10},
		"Fits":        {bytes: maxRequestBytes - 100},
		"Request":     {bytes: maxRequestBytes - 10, want: "etcdserver: request is too large"},
		"LastRequest": {bytes: maxMessageBytes - 100, want: "etcdserver: request is too large"},
		"Create":      {bytes: maxMessageBytes, want: "(2097217 vs. 2097152)"},
		"Update":      {maxMessageBytes, write{expected: &record{revision: 1 << 20}, update: true}, "(2097245 vs. 2097152)"},
		"FirstUpdate": {maxMessageBytes, write{update: true}, "(2097243 vs. 2097152)"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.write.key = key
			err := checkSize(tc.write, make([]byte, tc.bytes))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("checkSize() = %v, want %q", err, tc.want)
			}
		})
	}
}
