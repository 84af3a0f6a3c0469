package oracle

import "github.com/cosi-emu/cosi-emu/internal/oracle/observed"

type (
	// Input is the input of Judge.
	Input = observed.Input
	// Observation is the observed state at one time.
	Observation = observed.Observation
	// KeyUse is a bucket that a key opens.
	KeyUse = observed.KeyUse
	// Objects are the observed objects of Kubernetes.
	Objects = observed.Objects
	// AccessSecret is a Secret of an access, without its contents.
	AccessSecret = observed.AccessSecret
	// BackendState is the state that the backend reports.
	BackendState = observed.BackendState
	// SecretLeak is a secret outside Secrets.
	SecretLeak = observed.SecretLeak
)
