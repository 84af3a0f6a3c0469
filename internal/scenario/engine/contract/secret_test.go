package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestSecrets verifies that the values of a Secret can be compared as text, and that no failure
// shows them.
func TestSecrets(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	const scenario = `
steps:
- apply: {kind: Secret, metadata: {name: a}, stringData: {user: app, password: open-sesame}}
- expect: {Secret/a: {stringData: {user: app, password: open-sesame}}}
  as: key
- expect: {Secret/a: {stringData: {user: "${key.stringData.user}"}, data: {cel: "self.size() == 2"}}}
`
	if got := e.Run(t.Context(), parse(t, scenario)); got.Outcome != outcome.Passed {
		t.Errorf("%s\n%s", got.Outcome, explain(got))
	}
	const other = scenario + `
- expect: {Secret/a: {stringData: {password: "123"}, data: {password: "123"}}}
  timeout: 50ms
`
	got := e.Run(t.Context(), parse(t, other))
	text := explain(got)
	if got.Outcome != outcome.Failed || !strings.Contains(text, "stringData.password") {
		t.Errorf("%s, want failed because of stringData.password\n%s", got.Outcome, text)
	}
	for _, secret := range []string{"open-sesame", "b3Blbi1zZXNhbWU="} {
		if strings.Contains(text, secret) {
			t.Errorf("the failure shows what the Secret holds:\n%s", text)
		}
	}
}
