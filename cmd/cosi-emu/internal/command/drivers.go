package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/driverlist"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
)

// driversFlags are the flags of status about drivers.
type driversFlags struct {
	cli.ClusterFlags

	list bool
}

// driversReport is the output as JSON.
type driversReport struct {
	Drivers []driverlist.Driver `json:"drivers"`
}

// driverTimeout is the time limit for the answer of a driver, which may hang.
const driverTimeout = 5 * time.Second

func (f *driversFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&f.list, "drivers", false, "list the drivers, their sidecars and the classes that name them")
	flags.StringVar(&f.Kubeconfig, "kubeconfig", "",
		"with --drivers: kubeconfig file of a cluster (default with --context: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.Context, "context", "",
		"with --drivers: context of the kubeconfig (default with --kubeconfig: its current one)")
}

func (f *driversFlags) validate(flags *pflag.FlagSet) error {
	switch {
	case f.isCluster() && !f.list:
		return cli.Usage(errors.New("--kubeconfig and --context require --drivers: status describes an emulator"))
	case f.isCluster():
		return validateCluster(flags)
	default:
		return nil
	}
}

func (f *driversFlags) isCluster() bool { return f.Kubeconfig != "" || f.Context != "" }

func (f *driversFlags) run(ctx context.Context, streams cli.Streams, name, output string) error {
	sources, err := f.read(ctx, name)
	if err != nil {
		return err
	}
	report := driversReport{Drivers: driverlist.List(sources)}
	if output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return report.print(streams)
}

func (f *driversFlags) read(ctx context.Context, name string) (driverlist.Sources, error) {
	if f.isCluster() {
		opened, err := f.Open(ctx)
		if err != nil {
			return driverlist.Sources{}, err
		}
		defer opened.Close()
		return driverlist.Read(ctx, opened.Config())
	}
	info, err := cli.Ready(name)
	if err != nil {
		return driverlist.Sources{}, err
	}
	if err := cli.WithAPI(info); err != nil {
		return driverlist.Sources{}, err
	}
	opened, err := existingcluster.Open(existingcluster.Options{Kubeconfig: info.Kubeconfig})
	if err != nil {
		return driverlist.Sources{}, err
	}
	defer opened.Close()
	sources, err := driverlist.Read(ctx, opened.Config())
	sources.Emulator = &info.Info
	if info.DriverName != "" {
		ctx, cancel := context.WithTimeout(ctx, driverTimeout)
		defer cancel()
		sources.Answer = driverlist.Probe(ctx, info.DriverEndpoint)
	}
	return sources, err
}

func (r driversReport) print(streams cli.Streams) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "DRIVER\tHEALTH\tPROTOCOLS\tSIDECAR\tGROUP\tCLASSES")
	for _, d := range r.Drivers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, d.Health, orDash(strings.Join(d.Protocols, ",")),
			cmp.Or(d.Sidecar, "none"), orDash(d.Group), orDash(strings.Join(d.Classes, ",")))
	}
	_ = table.Flush() // a strings.Builder never fails
	for _, d := range r.Drivers {
		if d.Message != "" {
			fmt.Fprintf(&text, "\nDriver %s: %s\n", d.Name, d.Message)
		}
		if d.Sidecar == "" && len(d.Classes) > 0 {
			fmt.Fprintf(&text, "\n%s\n", withoutSidecar(d))
		}
	}
	_, err := fmt.Fprint(streams.Out, text.String())
	return err
}

// withoutSidecar is a hint for a driver that classes name and no known sidecar serves. Outside of a Pod and without leader election,
// a sidecar leaves no trace in the cluster.
func withoutSidecar(d driverlist.Driver) string {
	if d.Lease != "" {
		return fmt.Sprintf("No sidecar holds Lease %s of driver %s: unless it runs without leader election, start it.", d.Lease, d.Name)
	}
	return fmt.Sprintf("No known sidecar serves driver %s: start one, or correct the driver name of its classes.", d.Name)
}

func orDash(s string) string { return cmp.Or(s, "-") }
