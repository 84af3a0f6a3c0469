package description

import (
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// ControlPlaneKind is a kind of control plane; package emulator has the kinds.
type ControlPlaneKind string

// SnapshotInfo describes a snapshot. It contains no secrets; the file does.
type SnapshotInfo struct {
	// Created is the time of the snapshot.
	Created time.Time `json:"created"`
	// ControlPlane is the kind of the control plane, and Kubernetes its release.
	ControlPlane ControlPlaneKind `json:"controlPlane"`
	Kubernetes   string           `json:"kubernetes"`
	// API is the version of the COSI kinds.
	API objectstorage.Version `json:"api"`
	// DriverNames are the names of the fake drivers. Older snapshots have none.
	DriverNames []string `json:"driverNames,omitempty"`
	// Protocols and Dialect describe the fake driver. Dialect is empty for the dialect of API.
	Protocols []fakedriver.Protocol `json:"protocols"`
	Dialect   dialects.Dialect      `json:"dialect,omitempty"`
	// Bridge replaces Dialect in earlier files: the driver speaks v1alpha1 behind a bridge.
	Bridge bool `json:"bridge,omitempty"`
	// TLS reports whether S3 is served over TLS. S3Port is the port of the endpoint in Secrets;
	// GCSPort and AzurePort are the ports of the other services.
	TLS       bool `json:"tls,omitempty"`
	S3Port    int  `json:"s3Port"`
	GCSPort   int  `json:"gcsPort,omitempty"`
	AzurePort int  `json:"azurePort,omitempty"`
	// S3Region is the region of the store; empty for the default.
	S3Region string `json:"s3Region,omitempty"`
	// Objects counts the objects of COSI and the Secrets by their kinds, just before the
	// snapshot.
	Objects map[string]int `json:"objects"`
	// Buckets are the buckets of the store. Accounts, StoredObjects and StoredBytes count its other
	// contents. Each version of an object counts.
	Buckets       []string `json:"buckets"`
	Accounts      int      `json:"accounts"`
	StoredObjects int      `json:"storedObjects"`
	StoredBytes   int64    `json:"storedBytes"`
}
