// Package migrate is the command migrate: it translates objects of COSI v1alpha1 into v1alpha2,
// and creates them in a cluster.
package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
)

// formatYAML is the default output format of the translation.
const formatYAML = "yaml"

type migrateFlags struct {
	cli.ClusterFlags

	files     []string
	namespace string
	output    string
	options   migrate.Options
}

// New returns the command migrate, with its subcommand.
func New(streams cli.Streams) *cobra.Command {
	flags := &migrateFlags{}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Translate objects of COSI v1alpha1 into v1alpha2",
		Long: `Read the COSI objects of v1alpha1 in a cluster, or in YAML files, and print objects of
v1alpha2, with which v1alpha2 takes over the existing buckets in the backends. The
command only reads, and reads no Secrets. docs/migrating.md has all steps of a move.

Comments at the top list the decisions for a person: omitted or changed objects,
and necessary checks. They also list the accounts of v1alpha1, which
must be revoked once the applications use their new Secrets. '-o json' has the
objects as a List, with decisions and accounts beside them.

Drivers are expected to run behind the bridge of 'cosi-emu sidecar --assume-existing'.
The IDs of buckets are encoded for it where v1alpha2 does not allow the driver's own.

The exit code is 1 if an object is omitted. The others are printed all the same.`,
		Example: `  # The objects of a cluster.
  cosi-emu migrate --context production > v1alpha2.yaml

  # The objects in files, such as a backup.
  kubectl get -A -o yaml bucketclasses,bucketaccessclasses,buckets,bucketclaims,bucketaccesses \
    > v1alpha1.yaml
  cosi-emu migrate -f v1alpha1.yaml > v1alpha2.yaml

  # Manifests of a Git repository, which name no namespace.
  cosi-emu migrate -f claim.yaml -f access.yaml --namespace photos > v1alpha2.yaml

  # A list of the decisions.
  cosi-emu migrate -f v1alpha1.yaml -o json | jq '.decisions[]'

  # Once the cluster has the kinds of v1alpha2.
  cosi-emu migrate apply --context production -f v1alpha2.yaml`,
		SuggestionsMinimumDistance: 2,
		Args:                       cli.KnownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context(), streams) },
	}
	f := cmd.Flags()
	flags.ClusterFlags.AddFlags(f)
	f.StringArrayVarP(&flags.files, "filename", "f", nil, "file to read in place of a cluster, - for standard input; can be repeated")
	f.StringVarP(&flags.namespace, "namespace", "n", "", "namespace of the objects of --filename that have none (default: default)")
	f.StringVar(&flags.options.SecretSuffix, "secret-suffix", migrate.DefaultSecretSuffix,
		"ending of the names of new Secrets; empty to keep the names, if the old Secrets are deleted before")
	f.StringArrayVar(&flags.options.NativeDrivers, "native-driver", nil,
		"name of a driver that speaks v1alpha2 itself and runs without the bridge; can be repeated")
	cli.AddOutput(f, &flags.output, formatYAML, cli.FormatJSON)
	cmd.AddCommand(newApply(streams))
	for _, sub := range cmd.Commands() {
		cli.StrictArgs(sub)
	}
	return cmd
}

func (f *migrateFlags) validate() error {
	if err := cli.CheckOutput(f.output, formatYAML, cli.FormatJSON); err != nil {
		return err
	}
	if len(f.files) > 0 && (f.Kubeconfig != "" || f.Context != "") {
		return cli.Usage(errors.New("--filename and --kubeconfig or --context exclude each other: the objects are in files or in a cluster"))
	}
	if err := f.validateNamespace(); err != nil {
		return cli.Usage(fmt.Errorf("--namespace: %w", err))
	}
	if err := f.options.Validate(); err != nil {
		return cli.Usage(fmt.Errorf("--secret-suffix: %w", err))
	}
	return nil
}

func (f *migrateFlags) validateNamespace() error {
	if f.namespace == "" {
		return nil
	}
	if len(f.files) == 0 {
		return errors.New("it is for objects of files, and requires --filename")
	}
	if problems := validation.IsDNS1123Label(f.namespace); len(problems) > 0 {
		return fmt.Errorf("%q: %s", f.namespace, problems[0])
	}
	return nil
}

func (f *migrateFlags) run(ctx context.Context, streams cli.Streams) error {
	if err := f.validate(); err != nil {
		return err
	}
	inventory, err := f.inventory(ctx, streams)
	if err != nil {
		return inputError(err)
	}
	for _, driver := range f.options.NativeDrivers {
		if known := inventory.Drivers(); !slices.Contains(known, driver) {
			return cli.Usage(fmt.Errorf("--native-driver: no object is of driver %q; the drivers are %q", driver, known))
		}
	}
	plan := inventory.Plan(f.options)
	if f.output == cli.FormatJSON {
		err = cli.PrintJSON(streams, plan)
	} else {
		err = plan.WriteYAML(streams.Out)
	}
	if err != nil {
		return err
	}
	omitted := plan.Omissions()
	_, _ = fmt.Fprintf(streams.Err, "Printed %s of v1alpha2. Decisions for a person: %d. Omitted objects: %d.\n",
		counted.Of(len(plan.Objects), "object"), len(plan.Decisions), omitted)
	if omitted > 0 {
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

func (f *migrateFlags) inventory(ctx context.Context, streams cli.Streams) (*migrate.Inventory, error) {
	if len(f.files) > 0 {
		objects, err := read(streams, f.files)
		if err != nil {
			return nil, err
		}
		namespace := cmp.Or(f.namespace, metav1.NamespaceDefault)
		if changed := migrate.SetNamespace(objects, namespace); changed > 0 {
			_, _ = fmt.Fprintf(streams.Err, "Objects without metadata.namespace: %d. Namespace %s is used; --namespace sets another.\n",
				changed, namespace)
		}
		return migrate.Load(objects)
	}
	from, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return migrate.FromCluster(ctx, from.Config())
}

func inputError(err error) error {
	if errors.Is(err, migrate.ErrInput) {
		return cli.Usage(err)
	}
	return err
}

// read returns the objects of files. The error lists all problems.
func read(streams cli.Streams, files []string) ([]manifest.Located, error) {
	var (
		all  []manifest.Located
		errs []error
	)
	for _, file := range files {
		name, data, err := cli.ReadInput(streams, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		objects, err := manifest.DecodeFile(name, data)
		all, errs = append(all, objects...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, cli.Usage(err)
	}
	return all, nil
}
