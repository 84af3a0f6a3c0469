package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// secretName matches the names of variables whose values are secrets.
var secretName = regexp.MustCompile(`(?i)key|secret|token|passw|credential|auth`)

// Repeated returns a flag as words for a shell that give it the same values. The value of a variable that may be a
// secret stays in the environment of the shell.
func Repeated(flag *pflag.Flag) (words []string) {
	values := ValuesOf(flag)
	secrets := secretsIn(flag, values)
	for _, value := range values {
		name, of, _ := strings.Cut(value, "=")
		switch {
		case flag.Name == driverEnv && (strings.Contains(of, "@") || slices.ContainsFunc(secrets, func(s string) bool {
			return strings.Contains(of, s)
		})):
			words = append(words, fmt.Sprintf(`--%s=%s="$%[2]s"`, flag.Name, name))
		case value == flag.NoOptDefVal: // --keep is equivalent to --keep=true
			words = append(words, "--"+flag.Name)
		default:
			words = append(words, Quote("--"+flag.Name+"="+value))
		}
	}
	return words
}

const driverEnv = "driver-env"

// secretsIn returns the values of the variables whose names tell that they are secrets.
func secretsIn(flag *pflag.Flag, values []string) (secrets []string) {
	for _, value := range values {
		if name, of, _ := strings.Cut(value, "="); flag.Name == driverEnv && of != "" && secretName.MatchString(name) {
			secrets = append(secrets, of)
		}
	}
	return secrets
}
