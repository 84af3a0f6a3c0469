package command

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

// TestManifests parses the arguments of the containers in deploy/ as the program
// does.
func TestManifests(t *testing.T) {
	const deploy = "../../../../deploy/"
	objects := slices.Concat(deploytest.Build(t, deploy+"controller"), deploytest.Build(t, deploy+"example-driver"),
		deploytest.Build(t, deploy+"bridge"), deploytest.Build(t, deploy+"explore"), deploytest.Build(t, deploy+"node"))
	for name, template := range deploytest.PodTemplates(t, objects) {
		for _, container := range template.Spec.Containers {
			if len(container.Args) == 0 { // another program
				continue
			}
			t.Run(name+"/"+container.Name, func(t *testing.T) { parse(t, container.Args) })
		}
	}
}

func parse(t *testing.T, args []string) {
	t.Helper()
	cmd, rest, err := newRoot(cli.Streams{}).Find(args)
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

// TestComponentFlags expects that the sidecar has each flag of the controller.
func TestComponentFlags(t *testing.T) {
	sidecar := component.NewSidecar(cli.Streams{}).Flags()
	component.NewController(cli.Streams{}).Flags().VisitAll(func(flag *pflag.Flag) {
		same := sidecar.Lookup(flag.Name)
		if same == nil || same.Usage != flag.Usage || same.Value.Type() != flag.Value.Type() {
			t.Errorf("--%s of the controller is not as that of the sidecar", flag.Name)
		}
	})
}
