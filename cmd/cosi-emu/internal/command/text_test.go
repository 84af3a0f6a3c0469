package command

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/emulator/instance"
)

func TestNextSteps(t *testing.T) {
	info := instance.Info{Name: "mine", Info: emulator.Info{Kubeconfig: "/home/my user/kubeconfig"}}
	var text strings.Builder
	writeNextSteps(&text, info, true)
	for _, want := range []string{" example | kubectl --kubeconfig '/home/my user/kubeconfig' apply -f -\n", " down --name mine\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the next steps do not contain %q:\n%s", want, text.String())
		}
	}
}

func TestAccessKey(t *testing.T) {
	for text, ok := range map[string]bool{"a/b": true, "a": false, "/b": false, "a/": false, "a/b/c": false, "/": false} {
		a := access{access: text}
		key, wanted, err := a.key()
		if (err == nil) != ok || wanted != ok {
			t.Errorf("--access %q: %v, %v, %v", text, key, wanted, err)
		}
		if ok && key.String() != text {
			t.Errorf("--access %q is read as %s", text, key)
		}
		if err != nil && !cli.IsUsage(err) {
			t.Errorf("--access %q: %v is not an error of usage", text, err)
		}
	}
	if _, wanted, err := (&access{}).key(); wanted || err != nil {
		t.Errorf("no --access: %v, %v", wanted, err)
	}
}
