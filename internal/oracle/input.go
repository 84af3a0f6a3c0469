package oracle

import "github.com/cosi-emu/cosi-emu/internal/oracle/observed"

// What Judge judges.
type (
	Input        = observed.Input
	Observation  = observed.Observation
	KeyUse       = observed.KeyUse
	Objects      = observed.Objects
	AccessSecret = observed.AccessSecret
	BackendState = observed.BackendState
	SecretLeak   = observed.SecretLeak
)
