package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

func newExample(streams cli.Streams) *cobra.Command {
	var o example
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Print example manifests",
		Long: `Print example manifests: a namespace with a BucketClaim and a BucketAccess. With
--classes, print the classes that 'cosi-emu up' creates, to adapt them for a cluster.
With --name, print them in the version of a running emulator, and the classes for its driver.

--params is the file of 'cosi-emu conformance' and 'cosi-emu run': the classes get the
parameters bucket and access. --driver-name is the driver of the classes.

With --static, print the manifests for 'cosi-emu static-driver': a bucket that exists at a
provider without a driver. Put the provider's address and keys, and the bucket's name, into them.`,
		Example: `  cosi-emu example | kubectl apply -f -
  cosi-emu example --protocol Azure | kubectl apply -f -
  cosi-emu example --api v1alpha1 | kubectl apply -f -
  cosi-emu example --name mine | kubectl apply -f -
  cosi-emu example --classes > classes.yaml
  cosi-emu example --classes --params params.yaml --driver-name my-driver.example.com
  cosi-emu example --static > archive.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(o.validate(cmd.Flags()), o.followEmulator(cmd.Flags())); err != nil {
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
	cmd.Flags().BoolVar(&o.static, "static", false, "print the manifests for the static driver, of COSI v1alpha2")
	cli.AddParams(cmd.Flags(), &o.params, "YAML file with the parameters of --classes for your driver, as for 'cosi-emu conformance'")
	cmd.Flags().StringVar(&o.driver, "driver-name", "",
		"name of the driver of --classes (default: the driver of the emulator that --name selects, otherwise "+fakedriver.DefaultName+")")
	return cmd
}

type example struct {
	api      objectstorage.Version
	protocol string
	classes  bool
	static   bool
	name     string
	params   string
	driver   string
}

// validate rejects what would not change the static manifests.
func (o *example) validate(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(flag *pflag.Flag) {
		if o.static && flag.Name != "static" {
			err = errors.Join(err, cli.Usage(fmt.Errorf("--static and --%s exclude each other: edit the manifests instead", flag.Name)))
		}
	})
	return err
}

// followEmulator takes the version and the driver of the emulator that --name selects.
func (o *example) followEmulator(flags *pflag.FlagSet) error {
	if !flags.Changed("name") {
		return nil
	}
	info, err := cli.Running(o.name)
	if err != nil {
		return err
	}
	if !flags.Changed("api") && info.API != "" {
		o.api = info.API
	}
	o.driver = cmp.Or(o.driver, info.DriverName)
	return nil
}

func (o *example) manifest() ([]byte, error) {
	quickstart, classes := examples.Quickstart, examples.Classes
	if o.api == objectstorage.V1alpha1 {
		quickstart, classes = examples.QuickstartV1alpha1, examples.ClassesV1alpha1
	}
	switch {
	case o.static:
		return examples.Static, nil
	case o.params != "" && !o.classes:
		return nil, cli.Usage(errors.New("--params requires --classes: it has the parameters of the classes"))
	case o.protocol == "" && o.classes:
		return o.forDriver(classes)
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

// forDriver returns the classes with the driver's name and the parameters of --params.
func (o *example) forDriver(classes []byte) ([]byte, error) {
	parameters, err := cli.ReadParams(o.params)
	if err != nil {
		return nil, cli.Usage(err)
	}
	driver := cmp.Or(o.driver, fakedriver.DefaultName)
	if o.params == "" && driver == fakedriver.DefaultName {
		return classes, nil // with comments
	}
	objects, err := manifest.Decode(classes)
	if err != nil {
		return nil, err
	}
	ofKind := map[string]map[string]string{"BucketClass": parameters.Bucket, "BucketAccessClass": parameters.Access}
	var documents [][]byte
	for _, object := range objects {
		fields := object.Object
		if spec, ok := fields["spec"].(map[string]any); ok { // v1alpha1 has no spec
			fields = spec
		}
		fields["driverName"] = driver
		setParameters(fields, ofKind[object.GetKind()])
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// setParameters replaces the parameters of a class, which are the fake driver's.
func setParameters(class map[string]any, parameters map[string]string) {
	delete(class, "parameters")
	if len(parameters) > 0 {
		class["parameters"] = parameters
	}
}
