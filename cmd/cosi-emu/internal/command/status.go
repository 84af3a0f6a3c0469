package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/fault"
	"github.com/cosi-emu/cosi-emu/emulator"
	faults "github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// status describes a running emulator.
type status struct {
	instance.Info

	// Faults are the active faults.
	Faults []faults.Status `json:"faults,omitempty"`
	// Errors are the errors of objects whose definitions have status.error.
	Errors []existingcluster.ObjectError `json:"errors,omitempty"`
}

// objectsTimeout is the time limit for reading objects, because an API server may be down.
const objectsTimeout = 5 * time.Second

func newStatus(streams cli.Streams) *cobra.Command {
	var name, output string
	var drivers driversFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show an emulator and its components",
		Long: `Show the endpoints of an emulator, the state of its components, the active faults, and
the errors of objects whose CustomResourceDefinition has status.error.

With --drivers, list the drivers instead, of the emulator or of a cluster: their health
and protocols, the sidecar that serves each, the group that owns its name by the Lease,
and the classes that name it. A cluster's drivers are out of reach: their health is
Unknown, and their protocols are those of the Lease.

The exit code is 1 if the emulator is not running.`,
		Example: `  cosi-emu status
  cosi-emu status -o json | jq '.components[] | {name, state}'
  cosi-emu status -o json | jq '.faults[].name'
  cosi-emu status --drivers
  cosi-emu status --drivers --context production`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if err := drivers.validate(cmd.Flags()); err != nil {
				return err
			}
			if drivers.list {
				return drivers.run(cmd.Context(), streams, name, output)
			}
			info, err := cli.Running(name)
			if err != nil {
				return err
			}
			current := status{Info: info}
			if info.Ready {
				if current.Faults, err = adminapi.NewClient(info.Control).Faults(cmd.Context()); err != nil {
					return err
				}
				if current.Errors, err = objectErrors(cmd.Context(), info); err != nil {
					current.Warnings = append(current.Warnings, "the errors of objects are unknown: "+err.Error())
				}
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, current)
			}
			return printStatus(streams, current)
		},
	}
	cli.AddName(cmd.Flags(), &name)
	drivers.addFlags(cmd.Flags())
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

// objectErrors returns the errors of objects, unless the API server is unreachable.
func objectErrors(ctx context.Context, info instance.Info) ([]existingcluster.ObjectError, error) {
	if info.Kubeconfig == "" {
		return nil, nil
	}
	c, err := existingcluster.Open(existingcluster.Options{Kubeconfig: info.Kubeconfig})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, objectsTimeout)
	defer cancel()
	return c.ObjectErrors(ctx, info.API)
}

func printStatus(streams cli.Streams, info status) error {
	var text strings.Builder
	state := "is starting"
	if info.Ready {
		state = "is up for " + duration.HumanDuration(time.Since(info.Started))
	}
	fmt.Fprintf(&text, "Emulator %q %s.\n\n", info.Name, state)
	for _, warning := range info.Warnings {
		fmt.Fprintf(&text, "  Warning: %s\n\n", warning)
	}
	writePlaces(&text, info.Info)
	text.WriteString("\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  COMPONENT\tSTATE\tINCARNATION\tPID\tLOG")
	for _, c := range rows(info.Info) {
		log := c.Log
		if log == "" {
			log = instance.Command("logs "+c.Name, info.Name)
		}
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", c.Name, c.State, number(c.Incarnation), number(c.PID), log)
	}
	_ = table.Flush() // a strings.Builder never fails
	if len(info.Faults) > 0 {
		text.WriteString("\nActive faults:\n\n")
		_ = fault.WriteTable(&text, "  ", info.Faults) // a strings.Builder never fails
	}
	writeErrors(&text, info.Errors)
	_, err := fmt.Fprint(streams.Out, text.String())
	return err
}

// rows returns the components to show. The parts of an embedded control plane are one component
// with one log: no program runs under their names.
func rows(info instance.Info) []emulator.ComponentInfo {
	if info.ControlPlane != emulator.ControlPlaneEmbedded {
		return info.Components
	}
	plane := emulator.ComponentInfo{Name: "control plane", State: emulator.StateRunning}
	var stopped []string
	var shown []emulator.ComponentInfo
	for _, c := range info.Components {
		if !slices.Contains(vocabulary.ControlPlane(), c.Name) {
			shown = append(shown, c)
			continue
		}
		plane.Log = c.Log
		if c.State != emulator.StateRunning {
			stopped = append(stopped, c.Name)
		}
	}
	if len(stopped) > 0 {
		plane.State = emulator.State("Running without " + strings.Join(stopped, ", "))
	}
	return append([]emulator.ComponentInfo{plane}, shown...)
}

func writeErrors(text *strings.Builder, errors []existingcluster.ObjectError) {
	if len(errors) == 0 {
		return
	}
	text.WriteString("\nErrors of objects:\n\n")
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  KIND\tNAME\tERROR")
	for _, e := range errors {
		name := strings.TrimPrefix(e.Namespace+"/"+e.Name, "/")
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Kind, name, strings.Join(strings.Fields(e.Message), " "))
	}
	_ = table.Flush() // a strings.Builder never fails
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
