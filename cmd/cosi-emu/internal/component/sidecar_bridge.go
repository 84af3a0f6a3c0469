package component

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

type sidecarBridge struct {
	bridgeFlags

	flags     *pflag.FlagSet
	log       logr.Logger
	directory *bridge.Directory // nil while it is closed
}

func (b *sidecarBridge) addFlags(flags *pflag.FlagSet) {
	b.flags = pflag.NewFlagSet("", pflag.ContinueOnError)
	b.bridgeFlags.addFlags(b.flags)
	b.flags.StringVar(&b.stateDir, "state-dir", "",
		"directory that keeps the IDs of a driver that needs a bridge (default: below the user's state directory, outside of a Pod)")
	b.flags.StringVar(&b.namespace, "namespace", "", "namespace whose ConfigMaps keep these IDs (default: the Pod's namespace)")
	b.flags.StringVar(&b.name, "name", "", "prefix of the names of these ConfigMaps (default: the name of the driver)")
	flags.AddFlagSet(b.flags)
}

// check checks the flags, before anything is opened.
func (b *sidecarBridge) check(api objectstorage.Version, opts *cosisidecar.Options) error {
	var given []string
	b.flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && !slices.Contains(ofV1alpha1, flag.Name) {
			given = append(given, "--"+flag.Name)
		}
	})
	switch {
	case api == objectstorage.V1alpha1 && given != nil:
		return fmt.Errorf("%s: a sidecar with --api v1alpha1 calls drivers of v1alpha1 itself, without a bridge", strings.Join(given, ", "))
	case api == objectstorage.V1alpha1:
		return b.complete(opts)
	case b.stateDir != "" && b.namespace != "":
		return errors.New("--state-dir and --namespace exclude each other: each is a place for the driver's IDs")
	}
	b.options.Driver = opts.Endpoint
	return b.validate()
}

// ofV1alpha1 are the flags that a sidecar without a bridge has, too: its BucketInfo has these values.
var ofV1alpha1 = []string{"s3-endpoint", "s3-region"}

// complete sets the options of a sidecar of v1alpha1. BucketInfo needs no region, so that it has no default.
func (b *sidecarBridge) complete(opts *cosisidecar.Options) error {
	driver, err := b.driver.Options()
	if err != nil {
		return err
	}
	opts.S3Endpoint = driver.S3Endpoint
	if b.flags.Changed("s3-region") {
		opts.S3Region = driver.S3Region
	}
	return nil
}

// attach makes the sidecar connect through the bridge if its driver needs one.
func (b *sidecarBridge) attach(cfg *rest.Config, opts *cosisidecar.Options) (detach func() error, err error) {
	if b.options.Dialect == dialects.KEP {
		return func() error { return nil }, nil
	}
	b.log, b.options.TracerProvider = opts.Logger, opts.TracerProvider
	b.options.Detected = func(dialect dialects.Dialect) {
		b.log.Info("the driver has answered", "endpoint", b.options.Driver, "protocol", dialect.Protocol())
	}
	if b.stateDir != "" {
		if _, err = b.openDirectory(b.stateDir); err != nil {
			return nil, err
		}
	}
	dialer, err := bridge.NewDialer(b.options, func(driver string, create bool) (bridge.KeyStore, error) {
		store, err := b.openStore(cfg, driver, create)
		if err != nil {
			b.log.Error(err, "open the place for the driver's IDs", "driver", driver)
		}
		return store, err
	})
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	opts.DialOptions = append(opts.DialOptions, grpc.WithContextDialer(dialer.DialContext))
	return func() error { return errors.Join(dialer.Close(), b.close()) }, nil
}

// openStore returns the store for the IDs of a driver, or nil without one.
func (b *sidecarBridge) openStore(cfg *rest.Config, driver string, create bool) (bridge.KeyStore, error) {
	if b.directory != nil {
		return b.directory, nil
	}
	driver = strings.ToLower(driver) // names ignore case; lower case for the path
	if err := v1alpha2.CheckDriverName(driver); err != nil {
		return nil, fmt.Errorf("the name of the driver, %q, is invalid: %w", driver, err)
	}
	if namespace := cmp.Or(b.namespace, cosimanager.PodNamespace()); namespace != "" {
		return newConfigMaps(cfg, namespace, cmp.Or(b.name, driver))
	}
	root, err := instance.Root()
	if err != nil {
		b.log.Error(err, "no place for the driver's IDs, and so no bridge; use --state-dir")
		return nil, nil
	}
	directory := filepath.Join(root, "bridge.d", driver) // no emulator has a name with a dot
	if _, err := os.Stat(directory); err != nil && !create {
		return nil, nil // nothing is stored
	}
	return b.openDirectory(directory)
}

func (b *sidecarBridge) openDirectory(path string) (bridge.KeyStore, error) {
	directory, err := bridge.OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	b.directory = directory
	return directory, nil
}

func (b *sidecarBridge) close() error {
	if b.directory == nil {
		return nil
	}
	return b.directory.Close()
}
