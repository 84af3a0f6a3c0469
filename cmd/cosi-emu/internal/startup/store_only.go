package startup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/initdir"
)

// storeFlags are the flags of the object store.
type storeFlags struct {
	given   *pflag.FlagSet
	only    []fakedriver.Protocol
	buckets []string
}

func (f *storeFlags) addFlags(flags *pflag.FlagSet, o *emulator.Options) {
	f.given = flags
	cli.AddOnly(flags, &f.only)
	cli.AddBuckets(flags, &f.buckets)
	cli.AddRootKey(flags, &o.S3RootKey)
}

// besideOnly are the flags that the object store alone can have. The variables of an image select a control plane, which is
// not started.
var besideOnly = []string{
	"azure-port", "advertise", "bucket", "control-plane", "control-plane-dir", "data-dir", "detach", "gcs-port", "init", "listen", "map",
	"name", "only", "output", "progress-records", "s3-cors-origin", "s3-max-body", "s3-port", "s3-region", cli.RootKeyFlag,
	"timeout", "tls", "verbosity",
}

// ValidateOnly rejects flags of the parts that --only leaves out.
func (f *Flags) ValidateOnly() (err error) {
	if f.store.only == nil {
		return nil
	}
	f.store.given.Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(besideOnly, flag.Name) {
			err = cli.Usage(fmt.Errorf("--only and --%s exclude each other: the object store alone has no API server, controller, "+
				"sidecar and driver", flag.Name))
		}
	})
	return err
}

// applyOnly sets the options of the object store alone.
func (f *Flags) applyOnly() error {
	if f.store.only == nil {
		return nil
	}
	o := &f.Session.Emulator
	o.StoreOnly, o.Protocols = true, f.store.only
	o.ControlPlaneKind, o.ControlPlaneDir = "", ""
	return f.ValidateOnly()
}

// Buckets returns the buckets of --bucket, once Run has started the emulator.
func (f *Flags) Buckets() []fakedriver.BucketSpec { return f.buckets }

// addBuckets adds the buckets of the flags to the contents of the emulator.
func (f *Flags) addBuckets() error {
	if f.store.buckets == nil {
		return nil
	}
	if !f.hasStore() {
		return cli.Usage(errors.New("--bucket: an emulator with your own driver has no store for buckets"))
	}
	served := f.Session.Emulator.Protocols
	if served == nil {
		served = []fakedriver.Protocol{fakedriver.ProtocolS3}
	}
	buckets, err := cli.ParseBuckets(f.store.buckets, served)
	if err != nil {
		return cli.Usage(fmt.Errorf("--bucket: %w", err))
	}
	if f.Session.Init == nil {
		f.Session.Init = &initdir.Contents{}
	}
	f.buckets = buckets
	f.Session.Init.AddBuckets(buckets)
	return nil
}
