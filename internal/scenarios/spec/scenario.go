package spec

import "time"

// APIVersion and Kind are what every document begins with.
const (
	APIVersion = "cosi-emu/v1alpha1"
	Kind       = "Scenario"
	// KindSteps is a list of steps for others to use.
	KindSteps = "Steps"
)

// Scenario is a story about COSI: what is set up, what happens, what must hold.
type Scenario struct {
	APIVersion string `yaml:"apiVersion" required:"true" enum:"cosi-emu/v1alpha1" doc:"always cosi-emu/v1alpha1"`
	Kind       string `yaml:"kind" required:"true" enum:"Scenario" doc:"always Scenario"`
	// Name is a DNS label, unique among the scenarios that are run together.
	Name        string            `yaml:"name" required:"true" pattern:"dnsLabel" doc:"a DNS label, unique among scenarios that run together"`
	Description string            `yaml:"description" doc:"what the scenario shows, for people"`
	Labels      map[string]string `yaml:"labels" doc:"what --filter selects by"`
	// Proves names what the scenario is evidence of: a section of the KEP, or a
	// number of docs/known-failures.md.
	Proves []string    `yaml:"proves" doc:"sections of the KEP and numbers of known failures that the scenario is evidence of"`
	Setup  Setup       `yaml:"setup" doc:"what is there before the first step"`
	Steps  []Step      `yaml:"steps" required:"true" doc:"what happens, in this order"`
	Allow  []Exception `yaml:"allow" doc:"what the standing oracles are to tolerate, and why"`

	Position Position
	// Sources are the files that the scenario was read from: its own file,
	// and those whose steps it uses. A scenario without a file has none.
	Sources []Source
}

// Source is a file as it was when it was read.
type Source struct{ Name, Content string }

// Setup is what is there before the first step. The zero value is the emulator's
// own driver with its classes, and all components running.
type Setup struct {
	Drivers []Driver `yaml:"drivers" doc:"drivers with a sidecar each; without any, the emulator's own is used"`
	Classes []Class  `yaml:"classes" doc:"BucketClasses, ${classes.NAME} in steps"`
	// AccessClasses are BucketAccessClasses.
	AccessClasses []AccessClass `yaml:"accessClasses" doc:"BucketAccessClasses, ${accessClasses.NAME} in steps"`
	Stopped       []string      `yaml:"stopped" doc:"components that do not run when the first step begins"`
	// Seed is where everything random in the scenario comes from.
	Seed *int64 `yaml:"seed" doc:"where everything random comes from"`
	// Timeout is how long a step may take that does not say otherwise.
	Timeout Duration `yaml:"timeout" doc:"how long a step may take that does not say otherwise; 10s"`
	Limits  Limits   `yaml:"limits" doc:"how much the scenario may do"`

	Position Position
}

// Driver is a fake driver with an endpoint and a sidecar of its own.
type Driver struct {
	Name        string   `yaml:"name" required:"true" pattern:"dnsLabel" doc:"${drivers.NAME} in steps is the name that it has in the cluster"`
	Protocols   []string `yaml:"protocols" enum:"S3,GCS,Azure" doc:"S3, GCS, Azure; S3 by default"`
	AccessModes []string `yaml:"accessModes" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"accepts ReadWrite, ReadOnly, WriteOnly; all by default"`
	MultiBucket *bool    `yaml:"multiBucket" doc:"whether one access may have several buckets; true by default"`
	// Parameters are for those buckets and accounts whose class does not give them.
	Parameters Parameters `yaml:"parameters" doc:"those of buckets and accounts whose class does not give them, of the fake driver's"`
	Socket     string     `yaml:"socket" doc:"the endpoint of a driver that runs already, unix:///path, which goes with a name only"`
	Position   Position
}

// Class is a BucketClass.
type Class struct {
	Name string `yaml:"name" required:"true" pattern:"dnsLabel" doc:"${classes.NAME} in steps is the name that it has in the cluster"`
	// Driver names one of the setup's drivers.
	Driver         string            `yaml:"driver" doc:"a name of setup.drivers; the first by default"`
	DeletionPolicy string            `yaml:"deletionPolicy" enum:"Delete,Retain" doc:"Delete or Retain; Delete by default"`
	Parameters     map[string]string `yaml:"parameters" doc:"for the driver"`
	Position       Position
}

// AccessClass is a BucketAccessClass.
type AccessClass struct {
	Name string `yaml:"name" required:"true" pattern:"dnsLabel" doc:"${accessClasses.NAME} in steps is the name that it has in the cluster"`
	// Driver names one of the setup's drivers.
	Driver             string `yaml:"driver" doc:"a name of setup.drivers; the first by default"`
	AuthenticationType string `yaml:"authenticationType" enum:"Key,ServiceAccount" doc:"Key or ServiceAccount; Key by default"`
	MultiBucketAccess  string `yaml:"multiBucketAccess" enum:"SingleBucket,MultipleBuckets" doc:"MultipleBuckets or, by default, SingleBucket"`
	// DisallowedModes are those that accesses of the class may not ask for.
	DisallowedModes *Modes            `yaml:"disallowedBucketAccessModes" doc:"what accesses of the class may not ask for"`
	Parameters      map[string]string `yaml:"parameters" doc:"for the driver"`
	Position        Position
}

// Modes are access modes in the KEP's three categories.
type Modes struct {
	ObjectData     []string `yaml:"objectData" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
	ObjectMetadata []string `yaml:"objectMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
	BucketMetadata []string `yaml:"bucketMetadata" enum:"ReadWrite,ReadOnly,WriteOnly" doc:"ReadWrite, ReadOnly, WriteOnly"`
}

// Exception is something that a standing oracle would report, and why it is right
// here.
type Exception struct {
	Oracle   string `yaml:"oracle" required:"true" doc:"the name of the oracle, as in its findings"`
	About    string `yaml:"about" doc:"what the finding is about: a word that it has; empty is anything"`
	Reason   string `yaml:"reason" required:"true" doc:"why it is right here; required"`
	Position Position
}

// DefaultTimeout is how long a step may take.
const DefaultTimeout = Duration(10 * time.Second)
