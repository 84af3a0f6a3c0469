package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
)

// driverTokenLifetime is longer than an emulator runs. A cluster may grant less.
const driverTokenLifetime = 365 * 24 * time.Hour

// prepareDriverAccount creates the ServiceAccount of a user's own driver, and writes the files with
// which the driver reads Kubernetes objects. An existing cluster gets the ServiceAccount only with
// Install.
func (e *Emulator) prepareDriverAccount(ctx context.Context) error {
	file, err := deploy.DriverRBAC()
	if err != nil {
		return err
	}
	objects, err := manifest.Decode(file.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name, err)
	}
	switch {
	case e.cluster == nil:
		err = manifest.Apply(ctx, e.client, objects)
	case e.opts.Install:
		for _, object := range objects {
			_, created := e.cluster.Create(ctx, object)
			err = errors.Join(err, created)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name, err)
	}
	return e.writeDriverFiles(ctx)
}

func (e *Emulator) driverUser(ctx context.Context) (*rest.Config, error) {
	return e.userOf(ctx, types.NamespacedName{Namespace: deploy.Namespace, Name: deploy.DriverServiceAccount})
}

// writeDriverFiles writes a kubeconfig, and the files that a Pod has of its ServiceAccount.
func (e *Emulator) writeDriverFiles(ctx context.Context) error {
	cfg := e.Config()
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return err
	}
	server, err := url.Parse(cfg.Host)
	if err != nil {
		return fmt.Errorf("the URL of the API server: %w", err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: deploy.Namespace, Name: deploy.DriverServiceAccount}}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: new(int64(driverTokenLifetime / time.Second)),
	}}
	if err := e.client.SubResource("token").Create(ctx, account, request); err != nil {
		return fmt.Errorf("get a token of ServiceAccount %s/%s, of deploy/driver-rbac: %w", account.Namespace, account.Name, err)
	}
	dir, err := filepath.Abs(filepath.Join(e.info.Dir, "driver"))
	if err != nil {
		return err
	}
	e.info.DriverServiceAccount = filepath.Join(dir, "serviceaccount")
	if err := os.MkdirAll(e.info.DriverServiceAccount, dirMode); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		subprocess.TokenFile: []byte(request.Status.Token), "ca.crt": cfg.CAData, "namespace": []byte(deploy.Namespace),
	} {
		if err := os.WriteFile(filepath.Join(e.info.DriverServiceAccount, name), data, fileMode); err != nil {
			return err
		}
	}
	e.info.DriverVariables = map[string]string{
		subprocess.VariableKubeconfig:   filepath.Join(dir, "kubeconfig"),
		subprocess.VariablePodNamespace: deploy.Namespace,
		subprocess.VariableServiceHost:  server.Hostname(),
		subprocess.VariableServicePort:  cmp.Or(server.Port(), "443"),
	}
	return writeDriverKubeconfig(e.info.DriverVariables[subprocess.VariableKubeconfig], cfg, request.Status.Token)
}

func writeDriverKubeconfig(file string, cfg *rest.Config, token string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[emulatorName] = &clientcmdapi.Cluster{
		Server: cfg.Host, CertificateAuthorityData: cfg.CAData, InsecureSkipTLSVerify: cfg.Insecure, TLSServerName: cfg.ServerName,
	}
	config.AuthInfos[deploy.DriverServiceAccount] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[emulatorName] = &clientcmdapi.Context{
		Cluster: emulatorName, AuthInfo: deploy.DriverServiceAccount, Namespace: deploy.Namespace,
	}
	config.CurrentContext = emulatorName
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		return fmt.Errorf("write the driver's kubeconfig: %w", err)
	}
	return nil
}

// emulatorName is the name of cluster and context in a kubeconfig.
const emulatorName = "emulator"

// driverVariables returns the variables of a driver that the emulator runs, which has a kubeconfig
// of its own.
func (e *Emulator) driverVariables() map[string]string {
	variables := maps.Clone(subprocess.WithoutForeignCluster(e.info.DriverVariables, e.info.DriverServiceAccount))
	delete(variables, subprocess.VariableKubeconfig)
	return variables
}
