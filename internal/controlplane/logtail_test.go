package controlplane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

func TestLogTail(t *testing.T) {
	const stack = "\ngoroutine 1 [running]:\ngo.uber.org/zap/zapcore.CheckWriteAction.OnWrite()\n\tzapcore/entry.go:196 +0x54\nmain.main()\n"
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprint("line ", i))
	}
	tests := map[string]struct {
		reason string
		log    string
		want   []string
	}{
		"Lines": {reason: "The last ones.", log: strings.Join(many, "\n") + "\n", want: many[10:]},
		"Etcd": {
			reason: "etcd says why, as JSON, and panics.",
			log: `{"level":"info","msg":"starting"}
{"level":"panic","caller":"etcdserver/bootstrap.go:663","msg":"failed to create WAL","error":"no space left on device","stacktrace":"a"}
panic: failed to create WAL
` + stack,
			want: []string{"failed to create WAL: no space left on device"},
		},
		"Fatal": {
			reason: "It ends without a stack of the runtime.",
			log:    `{"level":"fatal","msg":"discovery failed"}` + "\n",
			want:   []string{"discovery failed"},
		},
		"Cut": {
			reason: "The disk of the log is full.",
			log: `{"level":"error","msg":"Committing transaction failed: no space left on device","stacktrace":"a.go:1"}` + "\n" +
				`{"level":"fatal","ts":`,
			want: []string{"Committing transaction failed: no space left on device"},
		},
		"CutAlone": {reason: "There is no other line.", log: `{"level":"fatal","ts":`, want: []string{`{"level":"fatal","ts":`}},
		"Panic":    {reason: "Another program.", log: "I0101 starting\npanic: no key\n" + stack, want: []string{"panic: no key"}},
		"Recovered": {
			reason: "The text of a log.", log: "panic: in a handler\nI0101 go on\n", want: []string{"panic: in a handler", "I0101 go on"},
		},
		"Warning": {reason: "It goes on.", log: `{"level":"warn","msg":"slow"}` + "\n", want: []string{`{"level":"warn","msg":"slow"}`}},
		"Empty":   {reason: "It has not written anything."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "etcd.log")
			if err := os.WriteFile(path, []byte(tc.log), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, controlplane.LogTail(path)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
