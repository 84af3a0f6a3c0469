// Package driveraccount gives a user's own driver its ServiceAccount: its rights, and the files with which
// it reads Kubernetes objects.
package driveraccount

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/rights"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Account has the files of the ServiceAccount of a driver.
type Account struct {
	// Dir is the directory that a Pod has of its ServiceAccount.
	Dir string
	// Variables are the environment variables with which a driver finds the API server.
	Variables map[string]string
}

// RightsOf returns the ServiceAccount and the rights in the manifest of a driver. A driver without a manifest
// has the rights of deploy/driver-rbac.
func RightsOf(own []byte) (rights.Rights, error) {
	if own != nil {
		return rights.Of(own)
	}
	file, err := deploy.DriverRBAC()
	if err != nil {
		return rights.Rights{}, err
	}
	objects, err := manifest.Decode(file.Data)
	if err != nil {
		return rights.Rights{}, fmt.Errorf("%s: %w", file.Name, err)
	}
	return rights.Rights{
		Account: types.NamespacedName{Namespace: deploy.Namespace, Name: deploy.DriverServiceAccount}, Objects: objects,
	}, nil
}

// Write writes a kubeconfig, and the files that a Pod has of a ServiceAccount, into a directory. The
// configuration is for the API server of the client.
func Write(ctx context.Context, c client.Client, cfg *rest.Config, name types.NamespacedName, dir string) (Account, error) {
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return Account{}, err
	}
	server, err := url.Parse(cfg.Host)
	if err != nil {
		return Account{}, fmt.Errorf("the URL of the API server: %w", err)
	}
	token, err := requestToken(ctx, c, name)
	if err != nil {
		return Account{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return Account{}, err
	}
	account := Account{Dir: filepath.Join(dir, "serviceaccount"), Variables: map[string]string{
		subprocess.VariableKubeconfig:   filepath.Join(dir, "kubeconfig"),
		subprocess.VariablePodNamespace: name.Namespace,
		subprocess.VariableServiceHost:  server.Hostname(),
		subprocess.VariableServicePort:  cmp.Or(server.Port(), "443"),
	}}
	if err := account.writePodFiles(name.Namespace, token, cfg.CAData); err != nil {
		return Account{}, err
	}
	return account, writeKubeconfig(account.Variables[subprocess.VariableKubeconfig], cfg, name, token)
}

// writePodFiles writes the files that a Pod has of its ServiceAccount.
func (a Account) writePodFiles(namespace, token string, ca []byte) error {
	if err := os.MkdirAll(a.Dir, dirMode); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		subprocess.TokenFile: []byte(token), "ca.crt": ca, "namespace": []byte(namespace),
	} {
		if err := os.WriteFile(filepath.Join(a.Dir, name), data, fileMode); err != nil {
			return err
		}
	}
	return nil
}

// ProcessVariables returns the variables of a driver that the emulator runs, which has a kubeconfig
// of its own.
func (a Account) ProcessVariables() map[string]string {
	variables := maps.Clone(subprocess.WithoutForeignCluster(a.Variables, a.Dir))
	delete(variables, subprocess.VariableKubeconfig)
	return variables
}
