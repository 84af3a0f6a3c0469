package operations_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/emulator/operations"
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
		"*photos":        "", // the sidecar of a driver of that name
		"side*photos":    "",
		"driver.*":       "",
		"contoller":      `unknown component "contoller": did you mean "controller"?`,
		"sidecars":       `unknown component "sidecars": did you mean "sidecar"?`,
		"contoller*":     `the pattern "contoller*" matches no component: did you mean "controller"?`,
		"proxy": `unknown component "proxy": it can be controller, sidecar, driver, store, gcs, ` +
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
