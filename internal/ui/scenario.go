package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

const (
	scenarioName = "saved"
	// stepTimeout is the timeout of the steps: with faults, COSI takes longer than the usual 10
	// seconds.
	stepTimeout = time.Minute
)

// writer writes a history as a scenario. A scenario has one namespace, and its own names of classes
// and of objects without a namespace.
type writer struct {
	api     objectstorage.Version
	driver  string
	classes map[string]*unstructured.Unstructured
	taken   map[string]string // namespaces by KIND/NAME, of the namespace that has the name
	used    map[string]bool   // classes, by ID
	hit     map[string]bool   // faults that were applied
	spaces  []string
	builder *scenarios.Builder
}

// scenario returns the history as a file that `cosi-emu run` accepts.
func (h *history) scenario(classes map[string]*unstructured.Unstructured, driver string) ([]byte, error) {
	h.mu.Lock()
	actions := slices.Clone(h.actions)
	h.mu.Unlock()
	w := &writer{
		api: h.api, driver: driver, classes: classes, taken: map[string]string{}, used: map[string]bool{}, hit: map[string]bool{},
		builder: scenarios.New(scenarioName).Timeout(stepTimeout).
			Description("The actions of a session, and the resulting state. Saved from the page of an emulator."),
	}
	if h.api == objectstorage.V1alpha1 {
		w.builder.API(h.api)
	}
	for _, e := range h.journal.Since(0) {
		if e.Fault != "" {
			w.hit[e.Fault] = true
		}
	}
	w.nameAll(actions)
	for _, a := range actions {
		if err := w.step(a); err != nil {
			return nil, fmt.Errorf("save %s: %w", a, err)
		}
	}
	if len(actions) == 0 {
		w.builder.Settle(0)
	}
	w.setup()
	file, err := w.builder.YAML()
	if err != nil {
		return nil, fmt.Errorf("save the scenario: %w", err)
	}
	head := "# Run it with: cosi-emu run " + scenarioName + ".yaml\n"
	if len(actions) == maxActions {
		head += fmt.Sprintf("# There was more: a session is saved up to its first %d steps.\n", maxActions)
	}
	return append([]byte(head), file...), nil
}

// nameAll decides which names stay unchanged.
func (w *writer) nameAll(actions []action) {
	for _, a := range actions {
		if a.namespace != "" && !slices.Contains(w.spaces, a.namespace) {
			w.spaces = append(w.spaces, a.namespace)
		}
		for _, named := range namesIn(a) {
			if _, taken := w.taken[named]; !taken {
				w.taken[named] = a.namespace
			}
		}
	}
}

// namesIn returns KIND/NAME of the objects that an action names in its namespace.
func namesIn(a action) []string {
	if a.namespace == "" {
		return nil
	}
	found := []string{a.kind + "/" + a.name}
	if a.object == nil {
		return found
	}
	for _, link := range newNode(&unstructured.Unstructured{Object: withNamespace(a)}).Links {
		parts := strings.Split(link, "/")
		if len(parts) == 3 {
			found = append(found, parts[0]+"/"+parts[2])
		}
	}
	return found
}

func withNamespace(a action) map[string]any {
	o := (&unstructured.Unstructured{Object: a.object}).DeepCopy()
	o.SetNamespace(a.namespace)
	return o.Object
}

func (w *writer) name(kind, namespace, name string) string {
	switch {
	case namespace == "":
		return name + "-${scope}"
	case w.taken[kind+"/"+name] == namespace:
		return name
	default:
		return name + "-" + namespace
	}
}

func (w *writer) step(a action) error {
	reference := a.kind + "/" + w.name(a.kind, a.namespace, a.name)
	switch a.verb {
	case verbApply:
		object, err := w.object(a)
		if err != nil {
			return err
		}
		w.builder.Apply(object)
	case verbDelete:
		w.builder.Delete(reference)
	case verbExpect:
		w.expect(a, reference)
	case verbInject:
		w.builder.Inject(w.fault(a.fault))
	case verbHeal:
		w.builder.Heal(a.fault.Name)
	case verbS3:
		w.upload(a)
	case "crash":
		w.builder.Crash(a.component)
	case "restart":
		w.builder.Restart(a.component)
	case "start":
		w.builder.Start(a.component)
	case "stop":
		w.builder.Stop(a.component)
	}
	return nil
}

func (w *writer) expect(a action, reference string) {
	if a.absent {
		w.builder.Expect(reference, scenarios.Absent)
		return
	}
	ready := "readyToUse"
	if w.api == objectstorage.V1alpha1 {
		ready = map[string]string{kindAccess: "accessGranted"}[a.kind]
		if ready == "" {
			ready = "bucketReady"
		}
	}
	w.builder.Expect(reference, scenarios.Fields{"status": scenarios.Fields{ready: true}})
}

func (w *writer) upload(a action) {
	use := scenarios.S3{Secret: w.name(kindSecret, a.namespace, a.upload.secret), Put: a.upload.key, Code: a.upload.code}
	if a.upload.isText() {
		text := string(a.upload.content)
		use.Content = &text
	} else {
		use.Size = int64(len(a.upload.content))
	}
	w.builder.S3(use)
}

// object returns the applied object with its names in the scenario.
func (w *writer) object(a action) (map[string]any, error) {
	o := (&unstructured.Unstructured{Object: a.object}).DeepCopy()
	o.SetName(w.name(a.kind, a.namespace, a.name))
	var err error
	set := func(value string, path ...string) {
		if err == nil && value != "" {
			err = unstructured.SetNestedField(o.Object, value, path...)
		}
	}
	class := func(kind, variable, path string) {
		name := field(o, "spec", path)
		if id := nodeID(kind, "", name); w.classes[id] != nil {
			w.used[id] = true
			set("${"+variable+"."+name+"}", "spec", path)
		}
	}
	rename := func(kind, path string) {
		if name := field(o, "spec", path); name != "" {
			set(w.name(kind, a.namespace, name), "spec", path)
		}
	}
	switch a.kind {
	case kindClaim:
		class(kindClass, "classes", "bucketClassName")
		if name := field(o, "spec", "existingBucketName"); w.taken[kindBucket+"/"+name] == "" && name != "" {
			set(name+"-${scope}", "spec", "existingBucketName")
		}
	case kindAccess:
		class(kindAccessClass, "accessClasses", "bucketAccessClassName")
		rename(kindClaim, "bucketClaimName")
		rename(kindSecret, "credentialsSecretName")
		w.renameClaims(o, a.namespace)
	case kindBucket:
		id := field(o, "spec", "existingBucketID") + "-${scope}"
		w.builder.Backend(scenarios.Backend{CreateBucket: id})
		set(id, "spec", "existingBucketID")
		if field(o, "spec", "driverName") == w.driver {
			set("${driver}", "spec", "driverName")
		}
		if namespace := field(o, "spec", "bucketClaimRef", "namespace"); namespace != "" {
			set(w.name(kindClaim, namespace, field(o, "spec", "bucketClaimRef", "name")), "spec", "bucketClaimRef", "name")
			set("${ns}", "spec", "bucketClaimRef", "namespace")
		}
	}
	return o.Object, err
}

func (w *writer) renameClaims(o *unstructured.Unstructured, namespace string) {
	claims, found, _ := unstructured.NestedSlice(o.Object, "spec", "bucketClaims")
	for _, item := range claims {
		fields, _ := item.(map[string]any)
		for path, kind := range map[string]string{"bucketClaimName": kindClaim, "accessSecretName": kindSecret} {
			if name, _ := fields[path].(string); name != "" {
				fields[path] = w.name(kind, namespace, name)
			}
		}
	}
	if found {
		_ = unstructured.SetNestedSlice(o.Object, claims, "spec", "bucketClaims") // spec is a map
	}
}

// fault returns a fault with the names of the scenario. A fault that was applied to nothing may
// repeat that.
func (w *writer) fault(f fault.Fault) fault.Fault {
	f.Optional = f.Optional || !w.hit[f.Name]
	for _, pattern := range []*string{&f.Subject, &f.Object} {
		for _, namespace := range w.spaces {
			if rest, ok := strings.CutPrefix(*pattern, namespace+"/"); ok {
				*pattern = "${ns}/" + rest
			}
			*pattern = strings.Replace(*pattern, "/"+namespace+"/", "/${ns}/", 1)
		}
		*pattern = eventscope.UID.ReplaceAllString(*pattern, "*")
	}
	return f
}

// setup adds the used classes, with the driver of the scenario.
func (w *writer) setup() {
	for _, id := range slices.Sorted(maps.Keys(w.used)) {
		o := w.classes[id]
		get := func(name string) string {
			if value := field(o, "spec", name); value != "" {
				return value
			}
			return field(o, name)
		}
		parameters, _, _ := unstructured.NestedStringMap(o.Object, "spec", "parameters")
		if parameters == nil {
			parameters, _, _ = unstructured.NestedStringMap(o.Object, "parameters")
		}
		if o.GetKind() == kindClass {
			w.builder.Class(scenarios.Class{Name: o.GetName(), DeletionPolicy: get("deletionPolicy"), Parameters: parameters})
			continue
		}
		class := scenarios.AccessClass{
			Name: o.GetName(), AuthenticationType: get("authenticationType"), MultiBucketAccess: get("multiBucketAccess"), Parameters: parameters,
		}
		disallowed, found, _ := unstructured.NestedMap(o.Object, "spec", "disallowedBucketAccessModes")
		if found {
			class.DisallowedModes = &scenarios.Modes{
				ObjectData: texts(disallowed["objectData"]), ObjectMetadata: texts(disallowed["objectMetadata"]),
				BucketMetadata: texts(disallowed["bucketMetadata"]),
			}
		}
		w.builder.AccessClass(class)
	}
}

func texts(list any) (all []string) {
	items, _ := list.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
