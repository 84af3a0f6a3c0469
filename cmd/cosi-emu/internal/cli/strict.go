package cli

import "github.com/spf13/pflag"

// AddStrict adds the flag --strict.
func AddStrict(flags *pflag.FlagSet, strict *bool) {
	flags.BoolVar(strict, "strict", false,
		"reject what COSI v1alpha1 allows although it makes no sense, such as a misspelt authentication type")
}

// AddIgnoreUnknownParameters adds the flag --ignore-unknown-parameters of the fake driver.
func AddIgnoreUnknownParameters(flags *pflag.FlagSet, ignore *bool) {
	flags.BoolVar(ignore, "ignore-unknown-parameters", false,
		"ignore unknown parameters of classes, to use classes of another driver")
}
