package emulator

import "slices"

// Info describes a running emulator: where everything is, and the state of its
// components. It holds no secrets. It is what `cosi-emu status -o json` prints.
type Info struct {
	// Dir holds the files of the emulator.
	Dir string `json:"dir"`
	// DataDir holds what outlives the emulator; empty when nothing does.
	DataDir string `json:"dataDir,omitempty"`
	// Kubeconfig is a file for kubectl with the rights of Emulator.Config.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context is the context of the kubeconfig that leads to an existing cluster;
	// empty when the emulator has a control plane of its own.
	Context string `json:"context,omitempty"`
	// APIServer is the URL of the kube-apiserver.
	APIServer string `json:"apiServer,omitempty"`
	// DriverName and DriverEndpoint are of the driver that the sidecar serves.
	DriverName     string `json:"driverName,omitempty"`
	DriverEndpoint string `json:"driverEndpoint,omitempty"`
	// S3Endpoint and S3Region are of the S3 store; empty without one.
	S3Endpoint string `json:"s3Endpoint,omitempty"`
	S3Region   string `json:"s3Region,omitempty"`
	// GCSEndpoint is the URL of the GCS service; empty without one.
	GCSEndpoint string `json:"gcsEndpoint,omitempty"`
	// S3CertificateAuthority is a file with the certificate, in PEM, that clients need
	// to trust the S3 store; empty if the store is not served over TLS.
	S3CertificateAuthority string `json:"s3CertificateAuthority,omitempty"`
	// S3Administrator is a file, for its owner only, with the key of the S3 store's
	// administrator, a fakedriver.Credentials in JSON; empty without a store.
	S3Administrator string `json:"s3Administrator,omitempty"`
	// Journal is the file that the events are written to, one JSON document a line.
	Journal string `json:"journal,omitempty"`
	// Components are the components, after the processes of the control plane.
	Components []ComponentInfo `json:"components,omitempty"`
	// Warnings say what this emulator cannot do, and why.
	Warnings []string `json:"warnings,omitempty"`
}

// ComponentInfo describes a component, or a process of the control plane.
type ComponentInfo struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Incarnation counts the incarnations of a component from 1.
	Incarnation int `json:"incarnation,omitempty"`
	// PID is set for a running process of the control plane.
	PID int `json:"pid,omitempty"`
	// Log is the file with the output of a process; the log of a component is in
	// the journal.
	Log string `json:"log,omitempty"`
}

// Endpoint is one of the places that an Info names.
type Endpoint struct {
	// Label names it for people; empty if only programs need it.
	Label string
	// Variable is the environment variable by which programs find it, or empty.
	Variable string
	// Value is a URL, a file or a name.
	Value string
}

// Endpoints returns the places that the emulator has, in the order in which people
// are shown them.
func (i Info) Endpoints() []Endpoint {
	return slices.DeleteFunc([]Endpoint{
		{"kubeconfig", "KUBECONFIG", i.Kubeconfig},
		{"context", "", i.Context},
		{"API server", "", i.APIServer},
		{"S3 endpoint", "", i.S3Endpoint},
		// COSI's Secrets have no key for it, and Google's clients send no
		// credentials to what STORAGE_EMULATOR_HOST names.
		{"GCS endpoint", "COSI_GCS_ENDPOINT", i.GCSEndpoint},
		{"driver", "", i.DriverName},
		{"driver socket", "COSI_ENDPOINT", i.DriverEndpoint},
		{"data", "", i.DataDir},
		{"", "AWS_CA_BUNDLE", i.S3CertificateAuthority},
	}, func(e Endpoint) bool { return e.Value == "" })
}

// Info returns the description of the emulator as it is now.
func (e *Emulator) Info() Info {
	e.mu.Lock()
	info := e.info
	info.Warnings = slices.Clone(info.Warnings)
	e.mu.Unlock()
	if e.plane != nil {
		for _, name := range e.plane.ProcessNames() {
			c := ComponentInfo{Name: name, State: StateRunning, PID: e.plane.PID(name), Log: e.plane.LogFile(name)}
			if c.PID == 0 {
				c.State = StateStopped
			}
			info.Components = append(info.Components, c)
		}
	}
	for _, c := range e.Components() {
		state, incarnation := c.State()
		info.Components = append(info.Components, ComponentInfo{Name: c.Name(), State: state, Incarnation: incarnation})
	}
	return info
}
