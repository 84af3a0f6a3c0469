package operations_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

func TestCheckComponent(t *testing.T) {
	for pattern, want := range map[string]string{
		"":               "",
		"controller":     "",
		"controller.2":   "",
		"sidecar.photos": "",
		"kube-apiserver": "",
		"*":              "",
		"contr*":         "",
		"*photos":        "",
		"side*photos":    "",
		"driver.*":       "",
		"contoller":      `unknown component "contoller": did you mean "controller"?`,
		"sidecars":       `unknown component "sidecars": did you mean "sidecar"?`,
		"contoller*":     `the pattern "contoller*" matches no component: did you mean "controller"?`,
		"proxy": `unknown component "proxy": it can be controller, sidecar, driver, store, gcs, azure, bridge, node, node-adapter, ` +
			`kube-apiserver, etcd, kube-controller-manager`,
	} {
		got := ""
		if err := operations.CheckComponent(pattern); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("CheckComponent(%q):\n%s\nwant:\n%s", pattern, got, want)
		}
	}
}

func TestCheckComponentAt(t *testing.T) {
	for _, tc := range []struct {
		seam    journal.Seam
		pattern string
		want    string
	}{
		{journal.SeamAPI, "", ""},
		{journal.SeamAPI, "*", ""},
		{journal.SeamAPI, "controller.2", ""},
		{journal.SeamAPI, "sidecar.photos", ""},
		{journal.SeamAPI, "driver.photos", `component "driver.photos" has no operations at seam api: it can be controller, sidecar`},
		{journal.SeamRPC, "driver.*", ""},
		{journal.SeamRPC, "store", `component "store" has no operations at seam rpc: it can be sidecar, driver, bridge`},
		{journal.SeamStore, "driver", ""},
		{journal.SeamStore, "gcs", ""},
		{journal.SeamStore, "side*", `component "side*" has no operations at seam store: it can be driver, store, gcs, azure`},
		{journal.SeamProcess, "etcd", ""},
		{journal.SeamStore, "stroe", `unknown component "stroe": did you mean "store"?`},
	} {
		got := ""
		if err := operations.CheckComponentAt(tc.seam, tc.pattern); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("CheckComponentAt(%q, %q):\n%s\nwant:\n%s", tc.seam, tc.pattern, got, tc.want)
		}
	}
}
