package node

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/validation"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/driversocket"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// Defaults of the Options.
const (
	DefaultDriverName      = "objectstorage.k8s.io"
	DefaultEndpoint        = "unix:///var/lib/kubelet/plugins/" + DefaultDriverName + "/csi.sock"
	DefaultRegistrationDir = "/var/lib/kubelet/plugins_registry"
	DefaultStateDir        = "/var/lib/kubelet/plugins/" + DefaultDriverName + "/volumes"
	// DefaultReadyTimeout leaves the kubelet, which waits 2 minutes, time for an Event with the cause.
	DefaultReadyTimeout  = 20 * time.Second
	DefaultSweepInterval = time.Minute
)

// Options are the settings of an Adapter. NodeName, Endpoint and StateDir are required.
type Options struct {
	// Endpoint is the socket of the CSI services, such as unix:///path/csi.sock.
	Endpoint string
	// RegistrationDir is the directory in which the kubelet looks for sockets of plugins. Empty for no registration.
	RegistrationDir string
	// DriverName is the name of the CSI driver. Empty means DefaultDriverName.
	DriverName string
	// NodeName is the name of the node.
	NodeName string
	// StateDir is the directory with the records of the volumes.
	StateDir string
	// Medium is where the files of volumes are. Empty means volume.DefaultMedium.
	Medium volume.MediumKind
	// API is the version of the COSI kinds. Empty means v1alpha2.
	API objectstorage.Version
	// ReadyTimeout is the time for which NodePublishVolume waits until an access is ready. Zero means
	// DefaultReadyTimeout.
	ReadyTimeout time.Duration
	// SweepInterval is the time between two sweeps. Zero means DefaultSweepInterval.
	SweepInterval time.Duration

	// Logger receives the log. The zero value logs nothing.
	Logger logr.Logger
	// Metrics are the options of the metrics endpoint. An empty BindAddress disables it, as "0" does.
	Metrics metricsserver.Options
	// HealthProbeBindAddress is the TCP address of /healthz and /readyz. Empty disables them, as "0" does.
	HealthProbeBindAddress string
}

func (o Options) withDefaults() Options {
	o.DriverName = cmp.Or(o.DriverName, DefaultDriverName)
	o.Medium = cmp.Or(o.Medium, volume.DefaultMedium())
	o.API = cmp.Or(o.API, objectstorage.V1alpha2)
	o.ReadyTimeout = cmp.Or(o.ReadyTimeout, DefaultReadyTimeout)
	o.SweepInterval = cmp.Or(o.SweepInterval, DefaultSweepInterval)
	return o
}

// Validate returns all errors of the options, before the adapter touches anything.
func (o Options) Validate() error {
	o = o.withDefaults()
	_, medium := volume.NewMedium(o.Medium)
	_, api := objectstorage.ParseVersion(string(o.API))
	errs := []error{medium, api, driversocket.Validate(o.Endpoint), o.settings().Validate()}
	if problems := validation.IsDNS1123Subdomain(strings.ToLower(o.DriverName)); len(problems) > 0 || len(o.DriverName) > 63 {
		errs = append(errs, fmt.Errorf("the driver name %q must be a DNS name of at most 63 characters, such as %s",
			o.DriverName, DefaultDriverName))
	}
	if problems := validation.IsDNS1123Subdomain(o.NodeName); len(problems) > 0 {
		errs = append(errs, fmt.Errorf("the node name %q must be the name of a Node: %s", o.NodeName, strings.Join(problems, ", ")))
	}
	for what, dir := range map[string]string{"state": o.StateDir, "registration": cmp.Or(o.RegistrationDir, "/")} {
		if !filepath.IsAbs(dir) {
			errs = append(errs, fmt.Errorf("the %s directory %q must be an absolute path", what, dir))
		}
	}
	if o.ReadyTimeout < 0 || o.SweepInterval < 0 {
		errs = append(errs, fmt.Errorf("the time limit for an access, %s, and the time between sweeps, %s, must be positive",
			o.ReadyTimeout, o.SweepInterval))
	}
	return errors.Join(errs...)
}

// settings are the options that all components have. There is no election: each node has its adapter.
func (o Options) settings() cosimanager.Settings {
	return cosimanager.Settings{
		Logger: o.Logger, Metrics: o.Metrics, HealthProbeBindAddress: o.HealthProbeBindAddress,
		Workers: 1, RetryBaseDelay: time.Second, RetryMaxDelay: time.Second,
		LeaseDuration: cosimanager.DefaultLeaseDuration, RenewDeadline: cosimanager.DefaultRenewDeadline,
		RetryPeriod: cosimanager.DefaultRetryPeriod,
	}
}
