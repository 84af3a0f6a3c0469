package rbac

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

//go:embed defaults.yaml
var defaultsYAML []byte

// Defaults are the roles and bindings that exist from the start. The caller must not
// change them.
type Defaults struct {
	ClusterRoles        []*rbacv1.ClusterRole
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding
}

// ReadDefaults returns the default roles and bindings.
var ReadDefaults = sync.OnceValues(readDefaults)

func readDefaults() (*Defaults, error) {
	defaults := &Defaults{}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(defaultsYAML)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return defaults, nil
		}
		if err != nil {
			return nil, err
		}
		if err := defaults.add(document); err != nil {
			return nil, fmt.Errorf("read the default roles: %w", err)
		}
	}
}

func (d *Defaults) add(document []byte) error {
	if bytes.Contains(document, []byte("kind: ClusterRoleBinding")) {
		binding := &rbacv1.ClusterRoleBinding{}
		d.ClusterRoleBindings = append(d.ClusterRoleBindings, binding)
		return yaml.UnmarshalStrict(document, binding)
	}
	role := &rbacv1.ClusterRole{}
	d.ClusterRoles = append(d.ClusterRoles, role)
	return yaml.UnmarshalStrict(document, role)
}
