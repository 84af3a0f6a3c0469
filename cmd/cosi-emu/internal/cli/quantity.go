package cli

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// quantity is a flag for a number of bytes.
type quantity struct{ bytes *int64 }

var _ pflag.Value = quantity{}

func (q quantity) String() string {
	if q.bytes == nil || *q.bytes == 0 {
		return ""
	}
	return resource.NewQuantity(*q.bytes, resource.BinarySI).String()
}

func (q quantity) Set(text string) error {
	bytes, err := fakedriver.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("it %w: it must be %s", err, fakedriver.BytesAllowed)
	}
	*q.bytes = bytes
	return nil
}

func (q quantity) Type() string { return "quantity" }

// AddStore adds the flags of the S3 store: its limits, and the origins that may use it in a
// browser.
func AddStore(flags *pflag.FlagSet, maxBody *int64, maxAccounts *int, origins *[]string) {
	flags.Var(corsOrigins{origins}, "s3-cors-origin",
		"origin of pages that browsers let use buckets without a CORS configuration, such as http://localhost:3000, "+
			"or * for all pages; a comma-separated list, or repeated (default: none)")
	flags.Var(quantity{maxBody}, "s3-max-body",
		"maximum size of an S3 request body (default: 1Gi)")
	flags.IntVar(maxAccounts, "max-accounts", 0, "maximum number of granted accesses (default: unlimited)")
}
