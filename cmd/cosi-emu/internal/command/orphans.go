package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/orphans"
)

const orphansHelp = `Compare the Buckets, BucketClaims, BucketAccesses, Secrets and Leases of a cluster with
each other, and with the buckets and accounts of a backend. The command only reads.

Without --kubeconfig and --context it reads the emulator --name, and the backend of
its fake driver. With them, it reads a cluster of v1alpha2 or v1alpha1. The backend is
then listed by an S3 service, with the key in AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, or by commands that print a name or an ID at the beginning of
each line. Without any of them only the objects are compared.

A backend can have buckets of other users: --pattern selects the ones that COSI has
made. If the cluster has Buckets of several drivers, --driver-name selects the one
that the backend belongs to.

  UnrecordedBucket        a bucket of the backend that no Bucket records
  UnrecordedAccount       an account of the backend that no BucketAccess records
  MissingBucket           a Bucket whose bucket the backend lacks
  MissingAccount          a BucketAccess whose account the backend lacks
  BucketWithoutClaim      a Bucket whose BucketClaim does not exist
  SecretWithoutAccess     a Secret of COSI whose BucketAccess does not exist
  SecretWithoutFinalizer  a Secret of a BucketAccess without COSI's finalizer
  LeaseWithoutDriver      a Lease of a driver that no object names and no sidecar holds

Objects change while they are read. Run the command again before you delete anything.

The exit code is 1 if there are orphans, 2 for wrong usage, and 3 if the cluster or the
backend cannot be read.`

const orphansExamples = `  # The running emulator.
  cosi-emu orphans

  # A cluster, without its backend.
  cosi-emu orphans --context production

  # A cluster and the S3 service of its driver.
  export AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
  cosi-emu orphans --context production --s3-endpoint https://s3.example.com --pattern 'bc-*'

  # Any other backend, with accounts.
  cosi-emu orphans --context production --list-command 'radosgw-admin bucket list --format plain' \
    --list-accounts-command './accounts.sh'

  # The names of the orphans.
  cosi-emu orphans -o json | jq -r '.orphans[] | [.kind, .object] | @tsv'`

type orphansFlags struct {
	cli.ClusterFlags

	name, output          string
	driver, pattern       string
	endpoint, region      string
	buckets, accounts     string
	bucketsOf, accountsOf []string // the split commands
}

// orphansReport is the output as JSON.
type orphansReport struct {
	// Compared are the compared lists: objects always, buckets and accounts if the backend was listed.
	Compared []string         `json:"compared"`
	Orphans  []orphans.Orphan `json:"orphans"`
}

func newOrphans(streams cli.Streams) *cobra.Command {
	flags := &orphansFlags{}
	cmd := &cobra.Command{
		Use:     "orphans",
		Short:   "Find Buckets, buckets, accounts and Secrets that lack their counterpart",
		Long:    orphansHelp,
		Example: orphansExamples,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.validate(cmd.Flags()); err != nil {
				return err
			}
			return flags.run(cmd.Context(), streams)
		},
	}
	f := cmd.Flags()
	cli.AddName(f, &flags.name)
	f.StringVar(&flags.Kubeconfig, "kubeconfig", "", "kubeconfig file of a cluster (default with --context: $KUBECONFIG, then ~/.kube/config)")
	f.StringVar(&flags.Context, "context", "", "context of the kubeconfig (default with --kubeconfig: its current one)")
	f.StringVar(&flags.driver, "driver-name", "", "driver of the backend, if the cluster has Buckets of several")
	f.StringVar(&flags.pattern, "pattern", "",
		"buckets and accounts of the backend that can be COSI's, with * for any characters (default: all)")
	f.StringVar(&flags.endpoint, "s3-endpoint", "", "URL of an S3 service whose buckets are listed")
	f.StringVar(&flags.region, "s3-region", "", "region of --s3-endpoint (default: $AWS_REGION, then us-east-1)")
	f.StringVar(&flags.buckets, "list-command", "", "command that prints the names or IDs of the backend's buckets, one a line")
	f.StringVar(&flags.accounts, "list-accounts-command", "", "command that prints the IDs of the backend's accounts, one a line")
	cli.AddOutput(f, &flags.output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func (f *orphansFlags) validate(flags *pflag.FlagSet) (err error) {
	if err := cli.CheckOutput(f.output, cli.FormatText, cli.FormatJSON); err != nil {
		return err
	}
	if f.endpoint != "" && f.buckets != "" {
		return cli.Usage(errors.New("--s3-endpoint and --list-command exclude each other: one of them lists the buckets"))
	}
	if f.isCluster() {
		if err := validateCluster(flags); err != nil {
			return err
		}
	}
	if f.endpoint != "" {
		if _, err := orphans.S3FromEnvironment(f.endpoint, f.region); err != nil {
			return cli.Usage(fmt.Errorf("--s3-endpoint: %w", err))
		}
	}
	if f.bucketsOf, err = cli.CommandLine("--list-command", f.buckets); err != nil {
		return cli.Usage(err)
	}
	if f.accountsOf, err = cli.CommandLine("--list-accounts-command", f.accounts); err != nil {
		return cli.Usage(err)
	}
	return nil
}

func (f *orphansFlags) isCluster() bool { return f.Kubeconfig != "" || f.Context != "" }

func (f *orphansFlags) run(ctx context.Context, streams cli.Streams) error {
	cluster, listed, err := f.read(ctx, streams)
	if err != nil {
		if cli.IsUsage(err) {
			return err
		}
		cli.PrintError(streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	}
	if err := f.checkDriver(cluster, listed); err != nil {
		return cli.Usage(err)
	}
	report := orphansReport{Compared: []string{"objects"}, Orphans: orphans.Find(cluster, listed)}
	if report.Orphans == nil {
		report.Orphans = []orphans.Orphan{}
	}
	if listed.Buckets != nil {
		report.Compared = append(report.Compared, "buckets")
	}
	if listed.Accounts != nil {
		report.Compared = append(report.Compared, "accounts")
	}
	if f.output == cli.FormatJSON {
		err = cli.PrintJSON(streams, report)
	} else {
		err = report.print(streams)
	}
	if err == nil && len(report.Orphans) > 0 {
		err = cli.ExitError(cli.ExitFailure)
	}
	return err
}

// read lists the backend before the objects: a bucket that is made meanwhile is never taken for an unrecorded one.
func (f *orphansFlags) read(ctx context.Context, streams cli.Streams) (orphans.Cluster, orphans.Backend, error) {
	listed := orphans.Backend{Driver: f.driver, Pattern: f.pattern}
	if err := f.list(ctx, streams, &listed); err != nil {
		return orphans.Cluster{}, listed, err
	}
	if f.isCluster() {
		opened, err := f.Open(ctx)
		if err != nil {
			return orphans.Cluster{}, listed, err
		}
		defer opened.Close()
		cluster, err := orphans.Read(ctx, opened.Config())
		return cluster, listed, err
	}
	info, err := cli.Ready(f.name)
	if err != nil {
		return orphans.Cluster{}, listed, err
	}
	if err := cli.WithAPI(info); err != nil {
		return orphans.Cluster{}, listed, err
	}
	if listed.Buckets == nil && listed.Accounts == nil {
		if err := listEmulator(ctx, info, &listed); err != nil {
			return orphans.Cluster{}, listed, err
		}
	}
	opened, err := existingcluster.Open(existingcluster.Options{Kubeconfig: info.Kubeconfig})
	if err != nil {
		return orphans.Cluster{}, listed, err
	}
	defer opened.Close()
	cluster, err := orphans.Read(ctx, opened.Config())
	return cluster, listed, err
}

// list lists the backend as the flags want.
func (f *orphansFlags) list(ctx context.Context, streams cli.Streams, listed *orphans.Backend) (err error) {
	if f.endpoint != "" {
		service, err := orphans.S3FromEnvironment(f.endpoint, f.region)
		if err != nil {
			return err
		}
		if listed.Buckets, err = service.ListBuckets(ctx); err != nil {
			return err
		}
	}
	if f.bucketsOf != nil {
		if listed.Buckets, err = orphans.ListCommand(ctx, f.bucketsOf, streams.Err); err != nil {
			return err
		}
	}
	if f.accountsOf != nil {
		listed.Accounts, err = orphans.ListCommand(ctx, f.accountsOf, streams.Err)
	}
	return err
}

// listEmulator lists the backend of an emulator, without the buckets and accounts that its user has made outside of COSI.
func listEmulator(ctx context.Context, info instance.Info, listed *orphans.Backend) error {
	content, err := adminapi.NewClient(info.Control).Backend(ctx)
	if err != nil {
		return err
	}
	listed.Buckets, listed.Accounts = []string{}, []string{}
	for _, bucket := range content.Buckets {
		if bucket.Owner != backend.RootAccount {
			listed.Buckets = append(listed.Buckets, bucket.Name)
		}
	}
	for _, account := range content.Accounts {
		if !account.Admin && account.ID != backend.RootAccount {
			listed.Accounts = append(listed.Accounts, account.ID)
		}
	}
	return nil
}

// checkDriver rejects a listing that could be the one of several drivers of a cluster.
func (f *orphansFlags) checkDriver(cluster orphans.Cluster, listed orphans.Backend) error {
	drivers := orphans.BucketDrivers(&cluster.Objects)
	if !f.isCluster() || f.driver != "" || len(drivers) < 2 || listed.Buckets == nil && listed.Accounts == nil {
		return nil
	}
	return fmt.Errorf("the cluster has Buckets of the drivers %s: select the one whose backend is listed with --driver-name",
		strings.Join(drivers, ", "))
}

func (r orphansReport) print(streams cli.Streams) error {
	var text strings.Builder
	if len(r.Orphans) > 0 {
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "KIND\tOBJECT\tPROBLEM")
		for _, o := range r.Orphans {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", o.Kind, o.Object, o.Problem)
			_, _ = fmt.Fprintf(table, "\t\t-> %s\n", o.Action)
		}
		_ = table.Flush() // a strings.Builder never fails
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "Orphans: %d. Compared: %s.\n", len(r.Orphans), strings.Join(r.Compared, ", "))
	_, err := fmt.Fprint(streams.Out, text.String())
	return err
}
