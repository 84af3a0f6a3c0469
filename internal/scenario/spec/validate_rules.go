package spec

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// required checks that an object has the fields that its kind requires.
func (v *validation) required(value *Value, of *apiextensionsv1.JSONSchemaProps, path string) {
	if of == nil {
		return
	}
	for i := range value.Items {
		v.required(&value.Items[i], itemsOf(of), path)
	}
	if !value.IsMapping() {
		return
	}
	hasExpression := false
	for i := range value.Fields {
		field := &value.Fields[i]
		hasExpression = hasExpression || !field.Key.IsZero()
		v.required(&field.Value, propertyOf(of, field.Name), path+"."+field.Name)
	}
	missing := slices.DeleteFunc(slices.Clone(of.Required), func(name string) bool { return value.Field(name) != nil })
	if len(missing) > 0 && !hasExpression {
		v.decoder.fail(value.Position, "%s has no %s, which the API requires", path, strings.Join(missing, " and no "))
	}
}

// rules checks an object by the rules of its kind: those in CEL, and that a set has no value twice. An object that
// has expressions is not known yet.
func (v *validation) rules(value *Value, kind string) {
	plain, err := value.plain()
	object, isObject := plain.(map[string]any)
	if err != nil || !isObject {
		return
	}
	known, err := compiled[v.api][kind]()
	if err != nil {
		return // the API server judges
	}
	defaulting.Default(object, known.structural)
	problems := listtype.ValidateListSetsAndMaps(nil, known.structural, object)
	broken, _ := known.validator.Validate(context.Background(), nil, known.structural, object, nil, celconfig.RuntimeCELCostBudget)
	for _, problem := range append(problems, broken...) {
		v.decoder.fail(value.Position, "%s.%s: %s", kind, problem.Field, cmp.Or(problem.Detail, problem.ErrorBody()))
	}
}

// kindRules are the CEL rules of a kind, and the schema that has them.
type kindRules struct {
	structural *schema.Structural
	validator  *cel.Validator
}

// compiled has the rules of each kind, which are compiled when they are asked for first: that takes time.
var compiled = func() map[objectstorage.Version]map[string]func() (*kindRules, error) {
	all := map[objectstorage.Version]map[string]func() (*kindRules, error){}
	for version, kinds := range types {
		all[version] = map[string]func() (*kindRules, error){}
		for kind := range kinds {
			all[version][kind] = sync.OnceValues(func() (*kindRules, error) { return compileRules(version, kind) })
		}
	}
	return all
}()

func compileRules(version objectstorage.Version, kind string) (*kindRules, error) {
	of := crds.Schema(version, kind)
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, &internal, nil); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", kind, err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", kind, err)
	}
	return &kindRules{structural, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}
