package command

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/staticdriver"
)

// printUp prints all endpoints, and the next commands.
func printUp(streams cli.Streams, info instance.Info, output string, detached bool) error {
	keys, err := keysForOthers(info)
	if err != nil {
		return err
	}
	if output == cli.FormatJSON {
		return cli.PrintJSON(streams, upInfo{Info: info, KubeconfigContent: keys})
	}
	var text strings.Builder
	subject := "COSI"
	if info.StoreOnly {
		subject = "Object storage"
	}
	fmt.Fprintf(&text, "%s is up (emulator %q).\n\n", subject, info.Name)
	for _, warning := range info.Warnings {
		fmt.Fprintf(&text, "  Warning: %s\n\n", warning)
	}
	writePlaces(&text, info)
	writeDriverVariables(&text, info)
	if info.StoreOnly {
		err = writeStore(&text, info)
	} else {
		writeExample(&text, info)
	}
	if err != nil {
		return err
	}
	writeStop(&text, info, detached)
	if keys != "" {
		fmt.Fprintf(&text, "\nClients on other machines use this kubeconfig. It has the keys of the administrator:\n\n%s", keys)
	}
	_, err = fmt.Fprint(streams.Out, text.String())
	return err
}

// withFlagWarnings adds warnings about flags that had no effect.
func withFlagWarnings(flags *pflag.FlagSet, info instance.Info) instance.Info {
	if tls := flags.Lookup("tls"); tls.Changed && tls.Value.String() == "false" && info.S3CertificateAuthority != "" {
		info.Warnings = append(slices.Clone(info.Warnings), "--tls=false has no effect: with --listen, or with data of an emulator "+
			"that used TLS, the services use TLS; leave the flag out, or start without that")
	}
	if info.DriverName == staticdriver.DefaultName && !flags.Changed("secret-parameters-from") {
		info.Warnings = append(slices.Clone(info.Warnings), "the static driver gets no keys: start with --secret-parameters-from="+
			deploy.Namespace+", the namespace of the Secret that its BucketAccessClass names")
	}
	return info
}

// upInfo is the description that 'up' prints as JSON.
type upInfo struct {
	instance.Info

	// KubeconfigContent is the kubeconfig with its keys, if other machines can connect.
	KubeconfigContent string `json:"kubeconfigContent,omitempty"`
}

// keysForOthers returns the kubeconfig for other machines; empty if they cannot connect.
func keysForOthers(info instance.Info) (string, error) {
	if info.Listen == "" || info.Kubeconfig == "" || info.Context != "" {
		return "", nil
	}
	content, err := os.ReadFile(info.Kubeconfig)
	return string(content), err
}

func writePlaces(text *strings.Builder, info instance.Info) {
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
	for _, e := range info.Endpoints() {
		if e.Label != "" {
			_, _ = fmt.Fprintf(table, "  %s\t%s\n", e.Label, e.Value)
		}
	}
	if info.UI != "" {
		_, _ = fmt.Fprintf(table, "  page\t%s\n", info.UI)
	}
	_ = table.Flush() // a strings.Builder never fails
}

// writeDriverVariables writes the variables with which a user's driver reads Kubernetes objects.
func writeDriverVariables(text *strings.Builder, info instance.Info) {
	isDriver := func(c emulator.ComponentInfo) bool { return c.Name == emulator.ComponentDriver }
	if len(info.DriverVariables) == 0 || info.DriverName == staticdriver.DefaultName || slices.ContainsFunc(info.Components, isDriver) {
		return
	}
	text.WriteString("\nA driver that reads Secrets, ConfigMaps or Buckets requires these variables:\n\n")
	for _, name := range slices.Sorted(maps.Keys(info.DriverVariables)) {
		fmt.Fprintf(text, "  export %s=%s\n", name, cli.Quote(info.DriverVariables[name]))
	}
	text.WriteString("\nIf it has in-cluster configuration only, give it also the files of a Pod:\n\n")
	fmt.Fprintf(text, "  mkdir -p /var/run/secrets/kubernetes.io && ln -s %s /var/run/secrets/kubernetes.io/serviceaccount\n",
		cli.Quote(info.DriverServiceAccount))
}

// writeExample writes the next commands of an application with COSI.
func writeExample(text *strings.Builder, info instance.Info) {
	kubectl := "kubectl --kubeconfig " + cli.Quote(info.Kubeconfig)
	if info.DriverName == staticdriver.DefaultName {
		writeStaticExample(text, info, kubectl)
		return
	}
	api := ""
	if info.API == objectstorage.V1alpha1 {
		api = " --api " + string(info.API)
	}
	text.WriteString("\nClaim a bucket and access to it:\n\n")
	fmt.Fprintf(text, "  %s example%s | %s apply -f -\n", cli.Program(), api, kubectl)
	text.WriteString("\nRead the Secret of the application:\n\n")
	fmt.Fprintf(text, "  %s -n demo get secret photos-credentials -o yaml\n", kubectl)
}

// writeStaticExample writes the next commands for a bucket that the static driver serves.
func writeStaticExample(text *strings.Builder, info instance.Info, kubectl string) {
	if info.API == objectstorage.V1alpha1 {
		text.WriteString("\nThe static driver creates no bucket: docs/driver.md has the parameters of its classes and Buckets.\n")
		return
	}
	text.WriteString("\nThe static driver creates no bucket. Put the name, address and keys of an existing one into these manifests:\n\n")
	fmt.Fprintf(text, "  %s example --static > archive.yaml\n", cli.Program())
	text.WriteString("\nApply them, and read the Secret of the application:\n\n")
	fmt.Fprintf(text, "  %s apply -f archive.yaml\n  %[1]s -n default get secret archive-credentials -o yaml\n", kubectl)
}

// writeStore writes the root key, which applications use without COSI.
func writeStore(text *strings.Builder, info instance.Info) error {
	key, err := env.RootKey(info.Info)
	if err != nil {
		return err
	}
	text.WriteString("\nApplications use the root key:\n\n")
	fmt.Fprintf(text, "  access key ID      %s\n  secret access key  %s\n", key.AccessKeyID, key.SecretAccessKey)
	text.WriteString("\nSet the variables that clients read, with --bucket also for one bucket:\n\n")
	fmt.Fprintf(text, "  eval \"$(%s)\"\n", programLine("env", info.Name))
	return nil
}

func writeStop(text *strings.Builder, info instance.Info, detached bool) {
	down := programLine("down", info.Name)
	if detached {
		fmt.Fprintf(text, "\nStop it:\n\n  %s\n", down)
		return
	}
	fmt.Fprintf(text, "\nPress Ctrl-C to stop it, or run elsewhere:\n\n  %s\n", down)
}

// programLine returns the command line of a verb for an emulator, with this program.
func programLine(verb, name string) string {
	return cli.Program() + strings.TrimPrefix(instance.Command(verb, name), "cosi-emu")
}
