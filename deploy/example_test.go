package deploy_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/deploy"
)

func Example() {
	manifests, err := deploy.RBAC()
	if err != nil {
		panic(err)
	}
	for _, manifest := range manifests {
		fmt.Println(manifest.Name)
	}
	// Output:
	// rbac/namespace.yaml
	// rbac/controller.yaml
	// rbac/sidecar.yaml
	// rbac/users.yaml
}
