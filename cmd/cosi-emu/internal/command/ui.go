package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
)

func newUI(streams cli.Streams) *cobra.Command {
	var (
		name, output string
		open         bool
	)
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Serve a page that shows an emulator live",
		Long: `Have a running emulator serve a page that shows it live, and print the URL: the objects,
a timeline of all operations, the S3 store, and the faults. The page listens on
127.0.0.1. The URL contains a token: it lets anyone control the emulator.

The page is served until the emulator stops. 'cosi-emu up --ui' serves it from the start,
so that a scenario saved from it contains everything that was applied.

--open opens the page in the browser with a link that is valid once: the list of
processes, which all users of this machine can read, does not have the token.`,
		Example: `  cosi-emu ui
  cosi-emu ui --open`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info, err := cli.Ready(name)
			if err != nil {
				return err
			}
			if err := cli.WithAPI(info); err != nil {
				return err
			}
			if info.UI, err = adminapi.NewClient(info.Control).OpenPage(cmd.Context()); err != nil {
				return err
			}
			if open {
				return openPage(cmd.Context(), streams, info.UI)
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, struct {
					UI string `json:"ui"`
				}{info.UI})
			}
			_, err = fmt.Fprintln(streams.Out, info.UI)
			return err
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cmd.Flags().BoolVar(&open, "open", false, "open the page in the browser, instead of printing its URL")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
