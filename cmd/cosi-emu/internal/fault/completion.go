package fault

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// completeFault completes the flags whose values depend on the seam: of the seam in --seam, or of
// all.
func completeFault(cmd *cobra.Command, made *fault.Fault) {
	atSeam := func(names func(journal.Seam) []string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return namesAt(made.Seam, names), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for flag, complete := range map[string]cobra.CompletionFunc{
		"component": cli.CompleteComponents,
		"operation": atSeam(operations.Names), "fail": atSeam(fault.Codes), "lose-reply": atSeam(fault.Codes),
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // faultFlags has defined the flags
		}
	}
}

func namesAt(seam journal.Seam, names func(journal.Seam) []string) []string {
	if seam != "" {
		return names(seam)
	}
	var all []string
	for _, seam := range []journal.Seam{journal.SeamAPI, journal.SeamRPC, journal.SeamStore, journal.SeamProcess} {
		all = append(all, names(seam)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
