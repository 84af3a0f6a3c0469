package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

const (
	// valuesAnnotation marks a flag with its valid values, for the completion in shells.
	valuesAnnotation = "cosi-emu-values"
	// emulatorAnnotation marks the flag that selects a running emulator.
	emulatorAnnotation = "cosi-emu-emulator"
	// completionTimeout limits the wait of a shell for an emulator that does not answer.
	completionTimeout = time.Second
)

// Values sets the values of a flag for the completion in shells.
func Values[T ~string](flags *pflag.FlagSet, flag string, values ...T) {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	annotate(flags, flag, valuesAnnotation, all)
}

func annotate(flags *pflag.FlagSet, flag, key string, values []string) {
	if err := flags.SetAnnotation(flag, key, values); err != nil {
		panic(err) // the flag was added by the previous line
	}
}

// Complete adds the completion of flag values to a command and its subcommands.
func Complete(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		complete := completionOf(flag)
		if complete == nil {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
			panic(err) // a flag exists, and is completed once
		}
	})
	for _, sub := range cmd.Commands() {
		Complete(sub)
	}
}

func completionOf(flag *pflag.Flag) cobra.CompletionFunc {
	if values, ok := flag.Annotations[valuesAnnotation]; ok {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	if _, ok := flag.Annotations[emulatorAnnotation]; ok {
		return completeEmulators
	}
	return nil
}

func completeEmulators(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	infos, err := instance.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteComponents completes the components of the emulator of --name, or of any emulator if it
// does not run.
func CompleteComponents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	info, err := chosen(cmd)
	if err != nil || len(info.Components) == 0 {
		return operations.Components(), cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, component := range info.Components {
		names = append(names, component.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteFaults completes the names of the faults that are active in the emulator of --name.
func CompleteFaults(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	info, err := chosen(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), completionTimeout)
	defer cancel()
	active, err := adminapi.NewClient(info.Control).Faults(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]string, len(active))
	for i, fault := range active {
		names[i] = fault.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// chosen returns the emulator of --name.
func chosen(cmd *cobra.Command) (instance.Info, error) {
	name, err := cmd.Flags().GetString("name")
	if err != nil {
		return instance.Info{}, err
	}
	return instance.Get(name)
}
