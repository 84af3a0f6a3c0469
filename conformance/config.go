package conformance

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
)

// The defaults of a Config.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultCallTimeout = 10 * time.Second
	DefaultSettle      = 5 * time.Second
)

// Config says which driver to test, and how.
type Config struct {
	// Endpoint is the gRPC target of the driver, such as unix:///path/to/driver.sock. It is
	// required.
	Endpoint string
	// DialOptions are added to those of the connection.
	DialOptions []grpc.DialOption
	// Generation is v1alpha1 or v1alpha2. Default: v1alpha2 if the driver serves it, else
	// v1alpha1.
	Generation string
	// Profiles are those to test. Default: all but End-to-End, which starts a control plane.
	Profiles []string
	// Only are the IDs of the checks to run, and Skip those not to run.
	Only, Skip []string
	// Parameters are what the suite cannot find out.
	Parameters Parameters
	// Timeout limits each check, and CallTimeout each call. Settle is how long the data
	// plane may take to follow a call.
	Timeout, CallTimeout, Settle time.Duration
	// Restart ends the driver and starts it again with the same state. It returns when the
	// new process serves. Without it the profile Crash-Safety is not tested.
	Restart func(ctx context.Context) error
	// AllowDestructive runs the checks that a faulty driver may answer with the loss of data
	// that is not the suite's.
	AllowDestructive bool
	// Seed decides the names of buckets and accesses. Default: a random one.
	Seed string
	// Version is the version of the tool, for the report.
	Version string
	// OnResult is called after each check.
	OnResult func(Result)
}

// Parameters are what the author of a driver supplies.
type Parameters struct {
	// Bucket are the parameters of a BucketClass. Incompatible are other valid ones, which
	// describe another bucket. Access are those of a BucketAccessClass.
	Bucket       map[string]string `json:"bucket,omitempty"`
	Incompatible map[string]string `json:"incompatible,omitempty"`
	Access       map[string]string `json:"access,omitempty"`
	// IncompatibleAccess are other valid parameters of a BucketAccessClass.
	IncompatibleAccess map[string]string `json:"incompatibleAccess,omitempty"`
	// ExistingBucket is the ID of a bucket that the driver did not create. The suite does
	// not write to it or delete it.
	ExistingBucket string `json:"existingBucket,omitempty"`
	// NonEmptyDeletion states what the driver does when it is to delete a bucket with objects:
	// reject or purge. If it is empty, a purge is reported, but does not change the verdict.
	NonEmptyDeletion string `json:"nonEmptyDeletion,omitempty"`
	// ServiceAccount is the name of the Kubernetes ServiceAccount for accesses without keys.
	// Default: conformance.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// S3Endpoint replaces the endpoint that the driver returns, for a suite that runs
	// outside of the network of applications. AzureEndpoint replaces the one in the token.
	S3Endpoint    string `json:"s3Endpoint,omitempty"`
	AzureEndpoint string `json:"azureEndpoint,omitempty"`
	// GCSEndpoint is that of an emulator of Google Cloud Storage, which takes an HMAC key,
	// ID:SECRET, as a token. Default: Google's, which verifies signatures.
	GCSEndpoint string `json:"gcsEndpoint,omitempty"`
}

// ParseParameters reads Parameters from YAML. Unknown fields are rejected.
func ParseParameters(text []byte) (Parameters, error) {
	var p Parameters
	err := yaml.UnmarshalStrict(text, &p)
	return p, err
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.CallTimeout = cmp.Or(c.CallTimeout, DefaultCallTimeout)
	c.Settle = cmp.Or(c.Settle, DefaultSettle)
	if c.Seed == "" {
		c.Seed = strings.ToLower(rand.Text()[:10])
	}
	return c
}

// Validate returns an error if a configuration cannot be run.
func (c Config) Validate() error {
	var errs []error
	if c.Endpoint == "" {
		errs = append(errs, errors.New("endpoint is required: the gRPC target of the driver, such as unix:///path/to/driver.sock"))
	}
	if !slices.Contains([]string{"", port.V1alpha1, port.V1alpha2}, c.Generation) {
		errs = append(errs, fmt.Errorf("generation %q is not known; use %s or %s", c.Generation, port.V1alpha1, port.V1alpha2))
	}
	for _, profile := range c.Profiles {
		if !slices.Contains(checks.Profiles(), profile) {
			errs = append(errs, fmt.Errorf("profile %q is not known; use one of %s", profile, strings.Join(checks.Profiles(), ", ")))
		}
	}
	if !slices.Contains([]string{"", checks.Reject, checks.Purge}, c.Parameters.NonEmptyDeletion) {
		errs = append(errs, fmt.Errorf("parameters: nonEmptyDeletion %q is not known; use %s or %s",
			c.Parameters.NonEmptyDeletion, checks.Reject, checks.Purge))
	}
	for _, id := range slices.Concat(c.Only, c.Skip) {
		if !slices.ContainsFunc(checks.All(), func(check *checks.Check) bool { return check.ID == id }) {
			errs = append(errs, fmt.Errorf("check %q is not known; `cosi-emu conformance list` prints all", id))
		}
	}
	return errors.Join(errs...)
}

// selects returns whether a check is part of a run.
func (c Config) selects(check *checks.Check) bool {
	if len(c.Only) > 0 {
		return slices.Contains(c.Only, check.ID) && (len(c.Profiles) == 0 || c.tests(check.Profile))
	}
	return c.tests(check.Profile)
}

// tests returns whether a profile is part of a run.
func (c Config) tests(profile string) bool {
	if len(c.Profiles) == 0 {
		return profile != checks.EndToEnd
	}
	return slices.Contains(c.Profiles, profile)
}
