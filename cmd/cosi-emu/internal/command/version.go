package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// versionInfo has the versions of the program and its parts.
type versionInfo struct {
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	Kubernetes string `json:"kubernetes"`
	COSI       string `json:"cosi"`
}

// release is the version that 'make release' passes to the linker. The default is the module's
// version.
var release string

func version() versionInfo {
	info := versionInfo{
		Version:    "unknown",
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: binaries.KubernetesVersion,
		COSI:       v1alpha2.SchemeGroupVersion.String(),
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Version = cmp.Or(release, build.Main.Version)
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Revision = setting.Value
		}
	}
	return info
}

func newVersion(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of cosi-emu, Kubernetes and COSI",
		Example: `  cosi-emu version
  cosi-emu version -o json`,
		RunE: func(*cobra.Command, []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info := version()
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, info)
			}
			_, err := fmt.Fprintf(streams.Out, "cosi-emu %s (%s, %s)\nKubernetes %s\nCOSI %s\n",
				info.Version, info.Go, info.Platform, info.Kubernetes, info.COSI)
			return err
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
