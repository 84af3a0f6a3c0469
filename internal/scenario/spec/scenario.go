package spec

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// APIVersion and Kind begin every document.
const (
	APIVersion = "cosi-emu/v1alpha1"
	Kind       = "Scenario"
	// KindSteps is a list of steps for others to use.
	KindSteps = "Steps"
)

// Scenario is a test of COSI: a setup, actions and expectations.
type Scenario struct {
	APIVersion string `yaml:"apiVersion" required:"true" enum:"cosi-emu/v1alpha1" doc:"always cosi-emu/v1alpha1"`
	Kind       string `yaml:"kind" required:"true" enum:"Scenario" doc:"always Scenario"`
	// Name is a DNS label, unique among the scenarios of a run.
	Name        string            `yaml:"name" required:"true" pattern:"dnsLabel" doc:"a DNS label, unique among scenarios that run together"`
	Description string            `yaml:"description" doc:"purpose of the scenario, for readers and reports"`
	Labels      map[string]string `yaml:"labels" doc:"selected by --filter"`
	// Proves names the statement that the scenario proves: a section of the KEP, or a number of
	// docs/known-failures.md.
	Proves []string    `yaml:"proves" doc:"statements of the KEP or of the v1alpha1 specification, and known failures, that the scenario tests"`
	Setup  Setup       `yaml:"setup" doc:"drivers, classes and limits, created before the first step"`
	Steps  []Step      `yaml:"steps" required:"true" doc:"the steps, run in this order"`
	Allow  []Exception `yaml:"allow" doc:"oracle findings that do not fail the scenario"`

	Position document.Position
	// Broken means that a part of the scenario cannot be read.
	Broken bool
	// Sources are the files of the scenario: its own file, and those whose steps it uses. A
	// scenario without a file has none.
	Sources []Source
}

// API returns the version of the COSI kinds of the scenario.
func (s *Scenario) API() objectstorage.Version {
	return cmp.Or(objectstorage.Version(s.Setup.API), objectstorage.V1alpha2)
}

// SnapshotFile returns the path of the snapshot from which the scenario starts; empty if there is
// none.
func (s *Scenario) SnapshotFile() string {
	name := filepath.FromSlash(s.Setup.Snapshot)
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.Position.File), name)
}

// Source is a file with the content that was read.
type Source struct{ Name, Content string }

// Setup is the state before the first step. The zero value is the emulator's own driver with its
// classes, and all components running.
type Setup struct {
	// Snapshot is the file from which the scenario starts.
	Snapshot string `yaml:"snapshot" doc:"file of 'cosi-emu snapshot save', relative to this file: the scenario starts from it, in an emulator of its own"`
	API      string `yaml:"api" enum:"v1alpha1,v1alpha2" doc:"version of the COSI kinds and of the drivers' protocol, v1alpha1 or v1alpha2; default v1alpha2"`
	// Images map images of containers to commands.
	Images        map[string]string `yaml:"images" doc:"commands of this machine for images of Pods, IMAGE: COMMAND, as 'cosi-emu up --image'; the scenario has an emulator of its own, and requires --allow-exec"`
	Drivers       []Driver          `yaml:"drivers" doc:"drivers, each with its sidecar; default: the emulator's driver"`
	Classes       []Class           `yaml:"classes" doc:"BucketClasses, ${classes.NAME} in steps"`
	AccessClasses []AccessClass     `yaml:"accessClasses" doc:"BucketAccessClasses, ${accessClasses.NAME} in steps"`
	Stopped       []string          `yaml:"stopped" doc:"components that are stopped before the first step"`
	// Seed determines everything random in the scenario.
	Seed *int64 `yaml:"seed" doc:"seed of all random values; default 1"`
	// Timeout is the default timeout of a step.
	Timeout Duration `yaml:"timeout" doc:"timeout of each step without its own; default 10s"`
	Limits  Limits   `yaml:"limits" doc:"limits of the scenario"`

	Position document.Position

	// Broken means that a part of the setup cannot be read.
	Broken bool
}

// StartsOwn reports whether the scenario has an emulator of its own.
func (s *Scenario) StartsOwn() bool { return s.Setup.Snapshot != "" || len(s.Setup.Images) > 0 }

// Driver is a fake driver with an endpoint and a sidecar of its own.
type Driver struct {
	Name        string   `yaml:"name" required:"true" pattern:"dnsLabel" doc:"name in this file; ${drivers.NAME} is the name in the cluster"`
	Protocols   []string `yaml:"protocols" enum:"S3,GCS,Azure" doc:"S3, GCS, Azure; default S3"`
	AccessModes []string `yaml:"accessModes" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"supported modes: ReadWrite, ReadOnly, WriteOnly; default all"`
	MultiBucket *bool    `yaml:"multiBucket" doc:"supports several buckets in one access; default true"`
	// Parameters are defaults for buckets and accounts whose class does not set them.
	Parameters Parameters `yaml:"parameters" doc:"fake driver parameters, for buckets and accounts whose class does not set them"`
	Socket     string     `yaml:"socket" doc:"endpoint of a running driver, unix:///path; allows no other field except name"`
	Position   document.Position
}

// Class is a BucketClass.
type Class struct {
	Name string `yaml:"name" required:"true" pattern:"dnsLabel" doc:"name in this file; ${classes.NAME} is the name in the cluster"`
	// Driver names one of the setup's drivers.
	Driver         string            `yaml:"driver" doc:"a name of setup.drivers; default: the first"`
	DeletionPolicy string            `yaml:"deletionPolicy" enum:"Delete,Retain" doc:"Delete or Retain; default Delete"`
	Parameters     map[string]string `yaml:"parameters" doc:"parameters for the driver"`
	Position       document.Position
}

// AccessClass is a BucketAccessClass.
type AccessClass struct {
	Name string `yaml:"name" required:"true" pattern:"dnsLabel" doc:"name in this file; ${accessClasses.NAME} is the name in the cluster"`
	// Driver names one of the setup's drivers.
	Driver             string `yaml:"driver" doc:"a name of setup.drivers; default: the first"`
	AuthenticationType string `yaml:"authenticationType" enum:"Key,ServiceAccount,IAM" doc:"Key or ServiceAccount, which is IAM in v1alpha1; default Key"`
	MultiBucketAccess  string `yaml:"multiBucketAccess" enum:"SingleBucket,MultipleBuckets" doc:"MultipleBuckets or SingleBucket; default SingleBucket"`
	// DisallowedModes are the modes that accesses of the class may not request.
	DisallowedModes *Modes            `yaml:"disallowedBucketAccessModes" doc:"modes that the class disallows"`
	Parameters      map[string]string `yaml:"parameters" doc:"parameters for the driver"`
	Position        document.Position
}

// Modes are access modes in the KEP's three categories.
type Modes struct {
	ObjectData     []string `yaml:"objectData" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
	ObjectMetadata []string `yaml:"objectMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
	BucketMetadata []string `yaml:"bucketMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
}

// Exception is an expected finding of a standing oracle, with the reason.
type Exception struct {
	Oracle   string `yaml:"oracle" required:"true" doc:"name of the oracle, as in its findings"`
	About    string `yaml:"about" doc:"a word that the finding contains; default: any finding"`
	Reason   string `yaml:"reason" required:"true" doc:"why the finding is expected"`
	Position document.Position
	// Broken means that a part of the exception cannot be read.
	Broken bool
}

// DefaultTimeout is the default timeout of a step.
const DefaultTimeout = Duration(10 * time.Second)
