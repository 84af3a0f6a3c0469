// Package application makes the S3 requests of a scenario, as an application does that has the
// credentials of a Secret or the token of a ServiceAccount.
package application

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/scenario/limits"
	"github.com/cosi-emu/cosi-emu/internal/scenario/variables"
)

// Application makes requests in the namespace of a scenario.
type Application struct {
	Client    client.Client
	Variables *variables.Set
	Puts      *limits.Puts
	Namespace string
	// Attempts is the maximum number of attempts of a request; less than 1 means 1.
	Attempts int
}
