package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/pods/volume"
)

// command is a resolved command of a container.
type command struct {
	args        []string
	environment []string
	dir         string
	root        *volume.Root
	home        string // removed after the run
	message     string // the file of its termination message
}

// errNoImage is the error of an image that the node does not have.
var errNoImage = errors.New("image")

type noImageError struct{ image string }

func (e noImageError) Error() string {
	return fmt.Sprintf("no command of this machine is mapped to image %q: this node runs containers as processes; start the emulator "+
		"with --image %s=COMMAND", e.image, image.Untagged(e.image))
}

func (noImageError) Is(target error) bool { return target == errNoImage }

// command resolves the command, the environment and the directory of the container.
func (c *container) command(ctx context.Context) (*command, error) {
	spec := c.spec()
	entrypoint, found := c.worker.config.Images.Find(spec.Image)
	if !found {
		return nil, noImageError{spec.Image}
	}
	c.worker.mu.Lock()
	number := c.restarts
	c.worker.mu.Unlock()
	dir := c.dir(number)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	variables := c.own(filepath.Join(dir, "root"))
	unmounted := func(text string) string { return text }
	declared, err := environment.Variables(ctx, c.worker.config.Sources, c.worker.get(), spec, variables, unmounted)
	if err != nil {
		return nil, err
	}
	root, err := c.worker.volumes.Root(filepath.Join(dir, "root"), spec, declared)
	if err != nil {
		return nil, err
	}
	message, err := root.File(cmp.Or(spec.TerminationMessagePath, corev1.TerminationMessagePathDefault))
	if err != nil {
		return nil, err
	}
	if declared, err = environment.Variables(ctx, c.worker.config.Sources, c.worker.get(), spec, variables, root.Path); err != nil {
		return nil, err
	}
	if err := c.kubeconfig(root, dir, variables); err != nil {
		return nil, err
	}
	maps.Copy(variables, declared)
	made := &command{root: root, home: dir, message: message}
	made.environment = slices.Concat(c.worker.config.Environment, environment.Pairs(variables))
	if made.args, err = c.args(spec, entrypoint, variables, root); err != nil {
		return nil, err
	}
	if made.dir, err = root.Dir(cmp.Or(spec.WorkingDir, "/")); err != nil {
		return nil, err
	}
	return made, nil
}

// own returns the variables that each container has.
func (c *container) own(root string) map[string]string {
	pod := c.worker.get()
	return map[string]string{
		"HOME": root, "HOSTNAME": hostname(pod),
		"KUBERNETES_SERVICE_HOST": c.worker.config.Server.Host, "KUBERNETES_SERVICE_PORT": c.worker.config.Server.Port,
	}
}

// hostname returns the hostname of a Pod, which is a label.
func hostname(pod *corev1.Pod) string {
	name := cmp.Or(pod.Spec.Hostname, pod.Name)
	if len(name) > validation.DNS1123LabelMaxLength {
		name = strings.TrimRight(name[:validation.DNS1123LabelMaxLength], "-.")
	}
	return name
}

// args returns the arguments as an image with an entrypoint and default arguments would have them.
func (c *container) args(spec *corev1.Container, defaults []string, variables map[string]string, root *volume.Root) ([]string, error) {
	expand := func(words []string) []string {
		var all []string
		for _, word := range words {
			all = append(all, root.Path(environment.Expand(word, variables)))
		}
		return all
	}
	entrypoint, arguments := defaults[:min(1, len(defaults))], defaults[min(1, len(defaults)):]
	if len(spec.Command) > 0 {
		entrypoint, arguments = expand(spec.Command), nil
	}
	if len(spec.Args) > 0 {
		arguments = expand(spec.Args)
	}
	args := slices.Concat(entrypoint, arguments)
	if len(args) == 0 {
		return nil, fmt.Errorf("image %q is mapped to no program, and the container has no command", spec.Image)
	}
	return args, nil
}

// tokenDir is the directory of the ServiceAccount's token.
const tokenDir = "/var/run/secrets/kubernetes.io/serviceaccount" //nolint:gosec // it is a path

// kubeconfig gives a container with a token a kubeconfig: the path of the token is not where clients look for it.
func (c *container) kubeconfig(root *volume.Root, dir string, variables map[string]string) error {
	at := root.Path(tokenDir)
	if _, err := os.Stat(filepath.Join(at, "token")); err != nil {
		return nil //nolint:nilerr // it has no token
	}
	variables["KUBECONFIG"] = filepath.Join(dir, "kubeconfig")
	return writeKubeconfig(variables["KUBECONFIG"], c.worker.config.Server.URL, at)
}

// exec returns a command in the environment of the container. Its Stop ends it.
func (m *command) exec(args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // its owner ends it
	cmd.Env, cmd.Dir = m.environment, m.dir
	return cmd
}
