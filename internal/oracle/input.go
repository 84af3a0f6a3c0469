package oracle

import "github.com/cosi-emu/cosi-emu/internal/oracle/observed"

// The input of Judge; package observed describes it.
type (
	Input        = observed.Input
	Observation  = observed.Observation
	KeyUse       = observed.KeyUse
	Objects      = observed.Objects
	AccessSecret = observed.AccessSecret
	BackendState = observed.BackendState
	SecretLeak   = observed.SecretLeak
)
