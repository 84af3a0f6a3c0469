package command

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/deploy/deploytest"
)

// TestManifests parses the arguments of the containers in deploy/ as the program
// does.
func TestManifests(t *testing.T) {
	const deploy = "../../../../deploy/"
	objects := slices.Concat(deploytest.Build(t, deploy+"controller"), deploytest.Build(t, deploy+"example-driver"))
	for name, template := range deploytest.PodTemplates(t, objects) {
		for _, container := range template.Spec.Containers {
			t.Run(name+"/"+container.Name, func(t *testing.T) { parse(t, container.Args) })
		}
	}
}

func parse(t *testing.T, args []string) {
	t.Helper()
	cmd, rest, err := newRoot(Streams{}).Find(args)
	if err != nil || !cmd.HasParent() {
		t.Fatalf("there is no command for %v: %v", args, err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Error(err)
	}
}

// TestComponentFlags expects of controller and sidecar the same flags for the
// same things.
func TestComponentFlags(t *testing.T) {
	names := func(cmd *cobra.Command) []string {
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		return names
	}
	own := []string{"connect-timeout", "driver-group", "endpoint", "rpc-timeout"} // of the sidecar
	got := slices.DeleteFunc(names(newSidecar(Streams{})), func(name string) bool { return slices.Contains(own, name) })
	if diff := cmp.Diff(names(newController(Streams{})), got); diff != "" {
		t.Errorf("-controller, +sidecar:\n%s", diff)
	}
}
