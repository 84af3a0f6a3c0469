package command

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

const upHelp = `Start an emulator: a Kubernetes control plane with the COSI kinds, the COSI controller
and sidecar, a fake driver with its S3 store, and default classes. The command prints
all endpoints and runs until Ctrl-C. Then it stops all components and deletes their
files.

With --api v1alpha1, kinds, controller, sidecar and fake driver have version v1alpha1,
which most deployments run.

With --driver-cmd, the emulator starts your own driver in place of the fake driver, and
supervises it. With --driver you start it. A bridge translates for drivers of v1alpha1.

The control plane is etcd, kube-apiserver and kube-controller-manager, from
--control-plane-dir or $KUBEBUILDER_ASSETS, then from the user's cache, then by a
download. If there is none, an API server in this process takes their place: it serves
custom resources, and the built-in kinds that COSI and its users need. 'cosi-emu setup'
gets the programs, if necessary by a build. --control-plane selects one or the other.

With --only, it is the object store alone: S3, and also GCS and Azure if the list has them.
There is no API server, controller, sidecar and driver. Applications use the root key of the
store. docs/storage.md has the details.

With --crds, the API server has the CustomResourceDefinitions of another draft of COSI, for
your own controller and sidecar. If they lack fields that the emulator's own write, the
start names the fields and is rejected. docs/drafts.md has the drafts.

All services listen on 127.0.0.1. With --listen, other machines can connect: everything
then uses TLS, and requires keys. 'up' prints the kubeconfig with the keys of the
administrator, and the Secrets of accesses contain keys and certificate authority of S3.
With --only, TLS also requires --tls.

With --existing-cluster no control plane is started. Controller, sidecar, driver and
store run on this machine against the cluster of the kubeconfig, as the
ServiceAccounts cosi-controller and cosi-sidecar in namespace cosi-system. When 'up'
stops, it deletes its own objects in the cluster, and keeps the objects of users.`

const upExamples = `  # Ctrl-C stops it.
  cosi-emu up

  # With a page that shows what happens while it happens.
  cosi-emu up --ui

  # In the background, with data that survives a restart, and S3 over TLS.
  cosi-emu up -d --data-dir ./cosi-data --tls

  # The COSI of today's deployments, with your driver for it.
  cosi-emu up --api v1alpha1
  cosi-emu up --api v1alpha1 --driver unix:///tmp/old.sock

  # With S3 and Google Cloud Storage.
  cosi-emu up --protocols S3,GCS

  # For a page on a development server, which uploads with presigned URLs or forms.
  cosi-emu up --s3-cors-origin http://localhost:3000

  # S3 alone, in place of another S3 server, with a bucket and a key that the tests know.
  cosi-emu up -d --only s3 --bucket photos --s3-root-key test:testtest --s3-port 9000
  eval "$(cosi-emu env --bucket photos)"
  aws s3 cp README.md "s3://$BUCKET_NAME"

  # With everything that another emulator had when 'cosi-emu snapshot save' ran.
  cosi-emu up --from ./my.snapshot

  # With the manifests of a directory, and the buckets and objects of its directory buckets.
  cosi-emu up --init testdata/cosi

  # For other machines, which reach this one as build-7.example.com.
  cosi-emu up --listen 0.0.0.0 --advertise build-7.example.com \
    --api-server-port 6443 --s3-port 9000

  # A second one, for your own driver.
  cosi-emu up --name mine --driver unix:///tmp/my-driver.sock

  # The emulator starts your driver, and restarts it when it exits.
  cosi-emu up --driver-cmd './my-driver --endpoint=$(COSI_ENDPOINT)' \
    --driver-env BACKEND_URL=http://127.0.0.1:9000

  # A driver of COSI v1alpha1, behind a bridge, and buckets that it has already.
  cosi-emu up --driver unix:///tmp/old.sock --assume-existing

  # A driver with a path compiled in.
  cosi-emu up --driver-cmd ./my-driver --driver unix:///var/lib/cosi/cosi.sock

  # Your driver on this machine, and a cluster without COSI.
  cosi-emu up --existing-cluster --context kind-kind --install --driver unix:///tmp/my-driver.sock

  # Your own sidecar, in place of the emulator's.
  cosi-emu up --sidecar-cmd './my-sidecar --kubeconfig=$(KUBECONFIG) --driver=$(COSI_ENDPOINT)'

  # A controller and a sidecar of another draft, with its CustomResourceDefinitions.
  cosi-emu up --crds ./config/crd --controller-cmd './controller --kubeconfig=$(KUBECONFIG)' \
    --sidecar-cmd './sidecar --kubeconfig=$(KUBECONFIG) --driver=$(COSI_ENDPOINT)'

  # In a script.
  cosi-emu up -d -o json | jq -r .kubeconfig`

func newUp(streams cli.Streams) *cobra.Command {
	var (
		s      startup.Flags
		detach bool
		output string
	)
	cmd := &cobra.Command{
		Use:     "up",
		Short:   "Start an emulator",
		Long:    upHelp,
		Example: upExamples,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if err := errors.Join(s.ValidateOnly(), s.ValidateCluster(), s.ValidateAssume(), s.ValidateTracing()); err != nil {
				return err
			}
			if detach {
				return upDetached(cmd, streams, s.Session.Name, output)
			}
			return runUp(cmd, &s, streams, output)
		},
	}
	cli.AddName(cmd.Flags(), &s.Session.Name)
	s.Add(cmd.Flags())
	cmd.Flags().StringVar(&s.Session.Record, "record", "", "directory for a recording of the whole session, for 'cosi-emu replay --as judge'")
	cmd.Flags().BoolVar(&s.Session.ShowPage, "ui", false, "serve a page that shows the emulator live; its URL is printed")
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "run in the background, and return when the emulator is ready")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	cmd.Flags().BoolVar(&s.Records, recordsFlag, false, "print the progress for the process that has the terminal")
	_ = cmd.Flags().MarkHidden(recordsFlag) // the flag was added by the previous line
	return cmd
}

// runUp prints all endpoints, and waits.
func runUp(cmd *cobra.Command, s *startup.Flags, streams cli.Streams, output string) error {
	s.Session.Warn = func(problem string) { _, _ = fmt.Fprintln(streams.Err, "Warning: "+problem) }
	return s.Run(cmd.Context(), streams, func(running *session.Session) error {
		if err := printUp(streams, withFlagWarnings(cmd.Flags(), running.Info()), output, false); err != nil {
			return err
		}
		debug.FreeOSMemory() // half of the memory is garbage of the start
		return running.Wait(cmd.Context())
	})
}
