package env

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format is a form in which variables are written.
type Format string

const (
	// FormatShell is commands for a POSIX shell.
	FormatShell Format = "shell"
	// FormatDotenv is a .env file.
	FormatDotenv Format = "dotenv"
	// FormatDocker is a file for 'docker run --env-file', which knows no quotes.
	FormatDocker Format = "docker"
	// FormatJSON is an object of strings.
	FormatJSON Format = "json"
	// FormatRclone is the configuration of a remote of rclone.
	FormatRclone Format = "rclone"
	// FormatS3cmd is the configuration of s3cmd.
	FormatS3cmd Format = "s3cmd"
	// FormatAWSConfig is the configuration of the AWS CLI and SDKs.
	FormatAWSConfig Format = "aws-config"
	// FormatThanos is the object store of Thanos.
	FormatThanos Format = "thanos"
	// FormatLoki is the storage of Loki.
	FormatLoki Format = "loki"
	// FormatSpring is properties of Spring Cloud AWS.
	FormatSpring Format = "spring"
)

var writers = map[Format]func(io.Writer, []Variable) error{
	FormatShell: writeShell, FormatDotenv: writeDotenv, FormatDocker: writeDocker, FormatJSON: writeJSON,
	FormatRclone: configuration(rclone), FormatS3cmd: configuration(s3cmd), FormatAWSConfig: configuration(awsConfig),
	FormatThanos: configuration(thanos), FormatLoki: configuration(loki), FormatSpring: configuration(spring),
}

// Formats returns the formats of variables, and then the configurations of programs.
func Formats() []string {
	return []string{
		string(FormatShell), string(FormatDotenv), string(FormatDocker), string(FormatJSON), string(FormatRclone),
		string(FormatS3cmd), string(FormatAWSConfig), string(FormatThanos), string(FormatLoki), string(FormatSpring),
	}
}

// RequiresAccess reports whether a format is the configuration of a program, which requires the credentials of a
// BucketAccess.
func (f Format) RequiresAccess() bool {
	return !slices.Contains([]Format{FormatShell, FormatDotenv, FormatDocker, FormatJSON}, f)
}

// Write writes variables in a format.
func Write(w io.Writer, variables []Variable, format Format) error {
	write, ok := writers[format]
	if !ok {
		return fmt.Errorf("format %q is not known; use %s", format, strings.Join(Formats(), ", "))
	}
	return write(w, variables)
}

func writeShell(w io.Writer, variables []Variable) error {
	return writeLines(w, variables, func(v Variable) string { return "export " + v.Name + "=" + shellWord(v.Value) + v.comment(" # ", "") })
}

func writeDotenv(w io.Writer, variables []Variable) error {
	return writeLines(w, variables, func(v Variable) string {
		return v.comment("# "+v.Name+" is ", "\n") + v.Name + "=" + dotenvValue(v.Value)
	})
}

func writeJSON(w io.Writer, variables []Variable) error {
	object := make(map[string]string, len(variables))
	for _, v := range variables {
		object[v.Name] = v.Value
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// comment explains an added variable, between a prefix and a suffix. It is empty for others.
func (v Variable) comment(prefix, suffix string) string {
	if v.Added == "" {
		return ""
	}
	return prefix + v.Added + suffix
}

func writeLines(w io.Writer, variables []Variable, line func(Variable) string) error {
	for _, v := range variables {
		if _, err := fmt.Fprintln(w, line(v)); err != nil {
			return err
		}
	}
	return nil
}

// shellWord returns a value as one word of a POSIX shell.
func shellWord(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// dotenvValue returns a value in the form that most readers of .env files agree on: bare where
// possible; in single quotes, where nothing is special; and otherwise in double quotes, with
// escapes.
func dotenvValue(value string) string {
	const special = " \t\r\n\"'\\#$`&;|<>()*?[]{}~!"
	switch {
	case value != "" && !strings.ContainsAny(value, special):
		return value
	case !strings.ContainsAny(value, "'\r\n"):
		return "'" + value + "'"
	default:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "$", `\$`, "`", "\\`").Replace(value) + `"`
	}
}
