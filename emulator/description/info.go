package description

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// Info describes a running emulator: its addresses, its files and the state of its components. It
// contains no secrets. `cosi-emu status -o json` prints it.
type Info struct {
	// API is the version of the COSI kinds; empty with StoreOnly.
	API objectstorage.Version `json:"api,omitempty"`
	// StoreOnly means that there is no API server, controller, sidecar and driver.
	StoreOnly bool   `json:"storeOnly,omitempty"`
	Dir       string `json:"dir"`
	// DataDir stores the data that survives a restart; empty without one.
	DataDir string `json:"dataDir,omitempty"`
	// Snapshot is the file from which the emulator started; empty without one.
	Snapshot string `json:"snapshot,omitempty"`
	// Kubeconfig is a file for kubectl with the rights of Emulator.Config.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context is the kubeconfig context of an existing cluster; empty if the emulator runs its own
	// control plane.
	Context string `json:"context,omitempty"`
	// ControlPlane is the kind of the emulator's control plane; empty for an existing cluster.
	ControlPlane ControlPlaneKind `json:"controlPlane,omitempty"`
	// APIServer is the URL of the API server.
	APIServer string `json:"apiServer,omitempty"`
	// Listen is the IP address of the services, if other machines can connect to them.
	Listen string `json:"listen,omitempty"`
	// DriverName and DriverEndpoint belong to the driver of the sidecar.
	DriverName     string `json:"driverName,omitempty"`
	DriverEndpoint string `json:"driverEndpoint,omitempty"`
	// DriverDialect is the driver's dialect, a name of dialects.All; empty for the KEP's, or with
	// API v1alpha1 for the protocol of that version.
	DriverDialect string `json:"driverDialect,omitempty"`
	// OwnComponents means that a controller or a sidecar of the user's own runs.
	OwnComponents bool `json:"ownComponents,omitempty"`
	// BucketParameters and AccessParameters are the parameters of all classes for a user's driver; empty with
	// the fake driver.
	BucketParameters map[string]string `json:"bucketParameters,omitempty"`
	AccessParameters map[string]string `json:"accessParameters,omitempty"`
	// DriverServiceAccount is a directory with the files of a Pod's ServiceAccount, and
	// DriverVariables are the variables with which a driver of your own reads Kubernetes objects;
	// empty with the fake driver.
	DriverServiceAccount string            `json:"driverServiceAccount,omitempty"`
	DriverVariables      map[string]string `json:"driverVariables,omitempty"`
	// S3Endpoint and S3Region belong to the S3 store; empty without one.
	S3Endpoint  string `json:"s3Endpoint,omitempty"`
	S3Region    string `json:"s3Region,omitempty"`
	GCSEndpoint string `json:"gcsEndpoint,omitempty"`
	// AzureEndpoint is the URL of the Azure service; empty without one. The tokens of Secrets
	// contain it.
	AzureEndpoint string `json:"azureEndpoint,omitempty"`
	// S3CertificateAuthority is a PEM file with the certificate authority of the S3 store;
	// empty without TLS.
	S3CertificateAuthority string `json:"s3CertificateAuthority,omitempty"`
	// S3RootKey is a file with the root key of the S3 store, a
	// fakedriver.Credentials in JSON, readable by its owner only; empty without a store.
	S3RootKey string `json:"s3RootKey,omitempty"`
	// Journal is the file with the events, one JSON document a line.
	Journal    string          `json:"journal,omitempty"`
	Components []ComponentInfo `json:"components,omitempty"`
	// LeaderElection means that controller and sidecars use leader election.
	LeaderElection bool `json:"leaderElection,omitempty"`
	// CustomDelays means that controller and sidecars do not retry with their default delays.
	CustomDelays bool `json:"customDelays,omitempty"`
	// Leftovers has, after Stop, a line for each object that remains in an existing cluster: objects
	// that others need, and the users' own objects.
	Leftovers []string `json:"leftovers,omitempty"`
	// Warnings are the limitations of this emulator, with their reasons.
	Warnings []string `json:"warnings,omitempty"`
}

// Served returns the names of the drivers that sidecars serve, by sidecar. It does not include
// sidecars whose drivers the emulator has not started.
func (i Info) Served() map[string]string {
	served := map[string]string{}
	for _, c := range i.Components {
		if c.Driver != "" {
			served[c.Name] = c.Driver
		}
	}
	return served
}

// Endpoint is an address or file of an Info.
type Endpoint struct {
	// Label is its name in the output for people; empty for endpoints that only programs need.
	Label string
	// Variable is its environment variable, or empty.
	Variable string
	Value    string
}

// Endpoints returns the endpoints of the emulator in display order.
func (i Info) Endpoints() []Endpoint {
	return slices.DeleteFunc([]Endpoint{
		{"kubeconfig", "KUBECONFIG", i.Kubeconfig},
		{"context", "", i.Context},
		{"API server", "", i.APIServer},
		{"control plane", "", string(i.ControlPlane)},
		{"COSI API", "", string(i.API)},
		{"S3 endpoint", "", i.S3Endpoint},
		// COSI's Secrets have no key for it, and Google's clients send no credentials to
		// STORAGE_EMULATOR_HOST.
		{"GCS endpoint", "COSI_GCS_ENDPOINT", i.GCSEndpoint},
		{"Azure endpoint", "", i.AzureEndpoint}, // it is in the Secrets
		{"driver", "", i.DriverName},
		{"driver dialect", "", i.DriverDialect},
		{"driver socket", "COSI_ENDPOINT", i.DriverEndpoint},
		{"data", "", i.DataDir},
		{"", "AWS_CA_BUNDLE", i.S3CertificateAuthority},
	}, func(e Endpoint) bool { return e.Value == "" })
}
