package command

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// quantity is a flag for a number of bytes.
type quantity struct{ bytes *int64 }

var _ pflag.Value = quantity{}

// String implements pflag.Value.
func (q quantity) String() string {
	if q.bytes == nil || *q.bytes == 0 {
		return ""
	}
	return resource.NewQuantity(*q.bytes, resource.BinarySI).String()
}

// Set implements pflag.Value.
func (q quantity) Set(text string) error {
	bytes, err := fakedriver.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("it %w: it must be %s", err, fakedriver.BytesAllowed)
	}
	*q.bytes = bytes
	return nil
}

// Type implements pflag.Value.
func (q quantity) Type() string { return "quantity" }

// addStoreLimits adds the flags of the limits of the S3 store.
func addStoreLimits(flags *pflag.FlagSet, maxBody *int64, maxAccounts *int) {
	flags.Var(quantity{maxBody}, "s3-max-body",
		"maximum size of an S3 request body (default: 1Gi)")
	flags.IntVar(maxAccounts, "max-accounts", 0, "maximum number of granted accesses (default: unlimited)")
}
