package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func newExample(streams cli.Streams) *cobra.Command {
	var o example
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Print example manifests",
		Long: `Print example manifests: a namespace with a BucketClaim and a BucketAccess. With
--classes, print the classes that 'cosi-emu up' creates, to adapt them for a cluster.
With --name, print them in the version of a running emulator.`,
		Example: `  cosi-emu example | kubectl apply -f -
  cosi-emu example --protocol Azure | kubectl apply -f -
  cosi-emu example --api v1alpha1 | kubectl apply -f -
  cosi-emu example --name mine | kubectl apply -f -
  cosi-emu example --classes > classes.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.followEmulator(cmd.Flags()); err != nil {
				return err
			}
			manifest, err := o.manifest()
			if err != nil {
				return err
			}
			_, err = streams.Out.Write(manifest)
			return err
		},
	}
	o.api = objectstorage.V1alpha2
	cli.AddAPI(cmd.Flags(), &o.api, "version of the kinds, v1alpha1 or v1alpha2")
	cmd.Flags().StringVar(&o.protocol, "protocol", "",
		"protocol of claim and access, S3, GCS or Azure; 'cosi-emu up' needs the same among its --protocols (default S3)")
	cli.AddName(cmd.Flags(), &o.name)
	cmd.Flags().Lookup("name").Usage = "name of a running emulator, whose version of the kinds is used"
	cmd.Flags().BoolVar(&o.classes, "classes", false, "print the classes")
	return cmd
}

type example struct {
	api      objectstorage.Version
	protocol string
	classes  bool
	name     string
}

// followEmulator takes the version of the emulator that --name selects.
func (o *example) followEmulator(flags *pflag.FlagSet) error {
	if !flags.Changed("name") || flags.Changed("api") {
		return nil
	}
	info, err := cli.Running(o.name)
	if err == nil && info.API != "" {
		o.api = info.API
	}
	return err
}

func (o *example) manifest() ([]byte, error) {
	quickstart, classes := examples.Quickstart, examples.Classes
	if o.api == objectstorage.V1alpha1 {
		quickstart, classes = examples.QuickstartV1alpha1, examples.ClassesV1alpha1
	}
	switch {
	case o.protocol == "" && o.classes:
		return classes, nil
	case o.protocol == "":
		return quickstart, nil
	case o.classes:
		return nil, cli.Usage(errors.New("--classes and --protocol exclude each other: classes have no protocol"))
	}
	protocols, err := fakedriver.ParseProtocols([]string{o.protocol})
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--protocol: %w", err))
	}
	if protocols[0] == fakedriver.ProtocolGCS && o.api == objectstorage.V1alpha1 {
		return nil, cli.Usage(errors.New("--protocol GCS: v1alpha1 has no credentials for it; choose S3 or Azure, or leave --api out"))
	}
	return examples.WithProtocol(quickstart, protocols[0].String()), nil
}
