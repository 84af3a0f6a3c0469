package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// apiTimeout limits requests to the API server, and the wait for the credentials of an access.
const apiTimeout = 30 * time.Second

const earlierStartInterval = 50 * time.Millisecond

type access struct {
	access, claim string
	maps          []string
}

func (a *access) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&a.maps, "map", nil, "add a variable NAME with the value of another one, as NAME=KEY; can be repeated")
	flags.StringVar(&a.access, "access", "", "BucketAccess whose credentials are added, namespace/name")
	flags.StringVar(&a.claim, "claim", "", "BucketClaim to select, if the BucketAccess has several")
}

// key returns the selected BucketAccess, and whether one is selected.
func (a *access) key() (client.ObjectKey, bool, error) {
	if a.access == "" {
		return client.ObjectKey{}, false, nil
	}
	namespace, name, ok := strings.Cut(a.access, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return client.ObjectKey{}, false, cli.Usage(fmt.Errorf("--access %q must have the form namespace/name", a.access))
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, true, nil
}

// validate rejects wrong flags.
func (a *access) validate() error {
	_, _, err := a.key()
	_, mapErr := a.mappings()
	return cmp.Or(err, mapErr)
}

func (a *access) mappings() ([]env.Mapping, error) {
	mappings, err := env.ParseMappings(a.maps)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--map %w", err))
	}
	return mappings, nil
}

// mapped adds the variables of --map.
func (a *access) mapped(variables []env.Variable) ([]env.Variable, error) {
	mappings, err := a.mappings()
	if err != nil {
		return nil, err
	}
	if variables, err = env.Map(variables, mappings); err != nil {
		return nil, cli.Usage(fmt.Errorf("--map %w", err))
	}
	return variables, nil
}

const envHelp = `Print the environment variables of an emulator:

  COSI_EMU_NAME        the emulator, for all commands of cosi-emu in this shell
  KUBECONFIG           the kubeconfig file
  COSI_ENDPOINT        the driver's socket
  COSI_GCS_ENDPOINT    the GCS service, with 'up --protocols GCS'
  AWS_CA_BUNDLE        a file with the certificate authority, with 'up --tls'; also as
                       NODE_EXTRA_CA_CERTS, SSL_CERT_FILE and REQUESTS_CA_BUNDLE

--access adds the contents of the Secret of a BucketAccess: AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID, BUCKET_NAME and so on. AWS_REGION is not in the Secret: it is added
with the value of AWS_DEFAULT_REGION, for the SDKs that read only this one. For Azure,
BUCKET_NAME and AZURE_STORAGE_CONNECTION_STRING are added to AZURE_STORAGE_SAS_TOKEN,
which is the URI of the container with its signature. --map gives a variable the name
that an application reads. It waits up to 30 s for an access that is not ready yet.

Besides lists of variables, the output can be the configuration of a program for S3:
rclone, s3cmd, aws-config, thanos, loki or spring. These require --access or --bucket.

--admin adds the root key of the S3 store, which is a secret. It
has all rights in all buckets, and can create buckets outside of COSI.
A Bucket imports such a bucket with spec.existingBucketID. With 'up --only', the
root key is the only one, and always printed. --bucket adds a bucket of the store,
with the variables that the Secret of an access would have for its protocol.`

const envExamples = `  # Into this shell.
  eval "$(cosi-emu env --access demo/photos-rw)"
  aws --endpoint-url "$AWS_ENDPOINT_URL" s3 ls "s3://$BUCKET_NAME"

  # Create a bucket outside of COSI.
  eval "$(cosi-emu env --admin)"
  aws --endpoint-url "$AWS_ENDPOINT_URL" s3 mb s3://legacy

  # With the names that an application reads.
  cosi-emu env --access demo/photos-rw --map S3_BUCKET=BUCKET_NAME -o dotenv > .env

  # For a container; the file has the way in which it reaches this machine.
  cosi-emu env --access demo/photos-rw -o docker > app.env
  docker run --network host --env-file app.env my-app

  # For rclone.
  cosi-emu env --access demo/photos-rw -o rclone > rclone.conf`

func newEnv(streams cli.Streams) *cobra.Command {
	var (
		name   string
		output string
		a      access
		root   rootAccess
	)
	formats := env.Formats()
	cmd := &cobra.Command{
		Use:     "env",
		Short:   "Print the environment variables of an emulator or a BucketAccess",
		Long:    envHelp,
		Example: envExamples,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, formats...); err != nil {
				return err
			}
			if err := a.validate(); err != nil {
				return a.withNear(cmd.Context(), name, err)
			}
			if a.access == "" && root.bucket == "" && env.Format(output).RequiresAccess() {
				return cli.Usage(fmt.Errorf("-o %s is the configuration of a program: it requires --access namespace/name, or --bucket", output))
			}
			variables, err := gather(cmd.Context(), streams, name, a, root)
			if err != nil {
				return err
			}
			return env.Write(streams.Out, variables, env.Format(output))
		},
	}
	cli.AddName(cmd.Flags(), &name)
	a.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&root.admin, "admin", false, "add the root key of the S3 store")
	cmd.Flags().StringVar(&root.bucket, "bucket", "", "bucket of the store that is added, with the root key")
	cli.AddOutput(cmd.Flags(), &output, formats...)
	return cmd
}

// rootAccess is access to the store with its root key.
type rootAccess struct {
	admin  bool
	bucket string
}

// flag returns the flag that selects the root key, or "".
func (r rootAccess) flag() string {
	switch {
	case r.admin:
		return "--admin"
	case r.bucket != "":
		return "--bucket"
	}
	return ""
}

// variables returns the variables of the root key if it is selected, or the emulator has no other keys.
func (r rootAccess) variables(ctx context.Context, info instance.Info) ([]env.Variable, error) {
	if r.bucket == "" {
		if r.admin || info.StoreOnly {
			return env.ForRootKey(info.Info)
		}
		return nil, nil
	}
	content, err := adminapi.NewClient(info.Control).Backend(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(content.Buckets))
	for i, b := range content.Buckets {
		if b.Name == r.bucket {
			return env.ForBucket(info.Info, b.BucketSpec)
		}
		names[i] = b.Name
	}
	return nil, fmt.Errorf("emulator %q has no bucket %s: %s", info.Name, r.bucket, suggest.From(r.bucket, names))
}

// gather returns the variables of an emulator, and of an access, a bucket or the root key if selected.
func gather(ctx context.Context, streams cli.Streams, name string, a access, root rootAccess) ([]env.Variable, error) {
	key, wanted, err := a.key()
	if err != nil {
		return nil, err
	}
	if flag := root.flag(); wanted && flag != "" {
		return nil, cli.Usage(fmt.Errorf("--access and %s exclude each other: a client has one key", flag))
	}
	info, err := cli.Ready(name)
	if err != nil {
		return nil, err
	}
	var more []env.Variable
	if wanted {
		more, err = accessVariables(ctx, streams, info, key, a.claim)
	} else {
		more, err = root.variables(ctx, info)
	}
	if err != nil {
		return nil, err
	}
	return a.mapped(append(env.ForEmulator(info.Name, info.Info), more...))
}

func accessVariables(
	ctx context.Context, streams cli.Streams, info instance.Info, key client.ObjectKey, claim string,
) ([]env.Variable, error) {
	if err := cli.WithAPI(info); err != nil {
		return nil, err
	}
	c, err := connect(info)
	if err != nil {
		return nil, err
	}
	variables, err := waitAccess(ctx, streams, c, info, key, claim)
	if apierrors.IsNotFound(err) {
		return nil, withNearAccess(ctx, c, info.API, key.String(), err)
	}
	return variables, err
}

// waitAccess waits for the credentials of an access, with addresses of this start of the emulator. Errors and warnings about
// a protocol have the flag that turns it on.
func waitAccess(
	ctx context.Context, streams cli.Streams, c client.Client, info instance.Info, key client.ObjectKey, claim string,
) ([]env.Variable, error) {
	waiting, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	var variables []env.Variable
	err := wait.PollUntilContextCancel(waiting, earlierStartInterval, true, func(ctx context.Context) (done bool, err error) {
		variables, err = env.WaitAccess(ctx, c, info.API, key, claim)
		return !env.OfEarlierStart(info.Info, variables), err
	})
	if err != nil && env.OfEarlierStart(info.Info, variables) {
		err = fmt.Errorf("BucketAccess %s: after %s, its Secret still has the address of an earlier start of the emulator; "+
			"see '%s', and the log of the sidecar", key, apiTimeout, instance.Command("status", info.Name))
	}
	reading, cancelReading := context.WithTimeout(ctx, apiTimeout)
	defer cancelReading()
	if err != nil {
		return nil, env.WithoutProtocol(reading, c, info.Info, key, err)
	}
	warning, err := env.OtherProtocol(reading, c, info.Info, key, variables)
	if warning != "" {
		_, _ = fmt.Fprintln(streams.Err, "Warning: "+warning)
	}
	return variables, err
}

func connect(info instance.Info) (client.Client, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", info.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of emulator %q: %w", info.Name, err)
	}
	scheme, err := emulator.NewScheme()
	if err != nil {
		return nil, err
	}
	return client.New(cfg, client.Options{Scheme: scheme})
}
