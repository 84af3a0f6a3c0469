package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
)

// eachCommand runs a test for each of our commands.
func eachCommand(t *testing.T, test func(t *testing.T, cmd *cobra.Command)) {
	t.Helper()
	root := newRoot(cli.Streams{})
	for _, cmd := range append(root.Commands(), root) {
		t.Run(cmd.Name(), func(t *testing.T) { test(t, cmd) })
	}
}

// sample returns a non-default value for a flag, as given and as shown.
func sample(flag *pflag.Flag) (given, shown string) {
	if flag.Name == "control-plane" {
		return "embedded", "embedded"
	}
	values := map[string][2]string{
		"bool": {"true", "true"}, "int": {"7", "7"}, "uint64": {"7", "7"}, "float32": {"7", "7"}, "float64": {"7", "7"},
		"quantity": {"7168", "7Ki"}, "kind": {"embedded", "embedded"}, "version": {"v1alpha1", "v1alpha1"}, "dialect": {"one-mode", "one-mode"},
		"protocols": {"Azure,S3", "Azure,S3"}, "encoder": {"json", "json"}, "level": {"error", "error"},
		"time-encoding": {"iso8601", "iso8601"}, "sets": {"kep,cosi", "kep,cosi"}, "origins": {"http://a,http://b", "http://a,http://b"},
		"duration": {"7s", "7s"}, "key": {"seven:seven", "seven:seven"}, "stringArray": {"seven", "[seven]"}, "stringSlice": {"seven", "[seven]"},
	}
	if value, ok := values[flag.Value.Type()]; ok {
		return value[0], value[1]
	}
	return "seven", "seven"
}

// Spec: A1-CONFIG-3, A1-CONFIG-4
func TestFlagsFromEnvironment(t *testing.T) {
	eachCommand(t, func(t *testing.T, cmd *cobra.Command) {
		t.Helper()
		want, got := map[string]string{}, map[string]string{}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			given, shown := sample(flag)
			t.Setenv("COSI_EMU_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")), given)
			want[flag.Name] = shown
			if isOwnName(flag) { // COSI_EMU_NAME names an emulator that runs already
				want[flag.Name] = flag.Value.String()
			}
		})
		if err := flagsFromEnvironment(cmd.Flags()); err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { got[flag.Name] = flag.Value.String() })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

func TestFlagWinsOverEnvironment(t *testing.T) {
	t.Setenv("COSI_EMU_NAME", "variable")
	t.Setenv("COSI_EMU_S3_PORT", "not a number, but not asked for")
	cmd := newUp(cli.Streams{})
	if err := cmd.ParseFlags([]string{"--name", "flag", "--s3-port", "1"}); err != nil {
		t.Fatal(err)
	}
	if err := flagsFromEnvironment(cmd.Flags()); err != nil {
		t.Fatal(err)
	}
	if name := cmd.Flags().Lookup("name").Value.String(); name != "flag" {
		t.Errorf("--name is %q", name)
	}
}

func TestRepeatFlags(t *testing.T) {
	cmd := newUp(cli.Streams{})
	given := []string{"-d", "-o", "json", "--name=a", "--timeout=90s", "--data-dir", "with space", "--no-fake-driver=false"}
	if err := cmd.ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--detach=false", "--output=text", "--progress-records",
		"--data-dir=with space", "--name=a", "--no-fake-driver=false", "--timeout=1m30s",
	}
	if diff := cmp.Diff(want, repeatFlags(cmd.Flags())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestHelp checks the form of every command's help.
func TestHelp(t *testing.T) {
	eachCommand(t, func(t *testing.T, cmd *cobra.Command) {
		t.Helper()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("the short help %q should be one phrase", cmd.Short)
		}
		if cmd.HasParent() && cmd.GroupID == "" {
			t.Error("the command is in no group of the help")
		}
		if !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("the examples do not use the command:\n%s", cmd.Example)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len(line) > 100 {
				t.Errorf("a line of the help is too long: %s", line)
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { checkFlagHelp(t, flag) })
	})
}

// checkFlagHelp expects the correct default of a flag in its help, once.
func checkFlagHelp(t *testing.T, flag *pflag.Flag) {
	t.Helper()
	alone := pflag.NewFlagSet("", pflag.ContinueOnError)
	alone.AddFlag(flag)
	help := alone.FlagUsages()
	if n := strings.Count(help, "(default"); n > 1 {
		t.Errorf("--%s has %d defaults: %s", flag.Name, n, help)
	}
	described := strings.Contains(flag.Usage, "(default")
	if value := flag.Value.String(); value != flag.DefValue && !described {
		t.Errorf("--%s is %q by default, and the help says %q", flag.Name, value, flag.DefValue)
	}
	switch flag.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		if !strings.Contains(help, flag.DefValue) {
			t.Errorf("the help of --%s does not say that its default is %s: %s", flag.Name, flag.DefValue, help)
		}
	}
}

// TestNoControlPlane: the environment variable for the control plane, as in the image, does not
// exclude an existing cluster.
func TestNoControlPlane(t *testing.T) {
	for _, value := range []string{"", "embedded"} {
		t.Setenv("COSI_EMU_CONTROL_PLANE", value)
		s := &startup.Flags{}
		flags := pflag.NewFlagSet("up", pflag.ContinueOnError)
		s.Add(flags)
		if err := flags.Parse([]string{"--existing-cluster"}); err != nil {
			t.Fatal(err)
		}
		if err := flagsFromEnvironment(flags); err != nil {
			t.Fatal(err)
		}
		if err := s.ValidateCluster(); err != nil {
			t.Errorf("up --existing-cluster with COSI_EMU_CONTROL_PLANE=%s: %v", value, err)
		}
	}
}
