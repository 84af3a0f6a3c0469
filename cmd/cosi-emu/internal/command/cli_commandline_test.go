package command

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

// TestQuote guards a function of package cli, whose own test binary would link the API server again.
func TestQuote(t *testing.T) {
	for _, text := range []string{
		"", "plain", "/home/me/.local/state/cosi-emu/default/kubeconfig", "with space", "it's", `"$HOME"`, "a\nb", "*", "~", "a;b", `\`, "é",
	} {
		out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "printf %s "+cli.Quote(text)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(out)); diff != "" {
			t.Errorf("a shell reads %s: -want, +got:\n%s", cli.Quote(text), diff)
		}
	}
	if got := cli.Quote("/a/b-c_d.e"); got != "/a/b-c_d.e" {
		t.Errorf("quotes where none are needed: %s", got)
	}
}
