package spec

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// types are the types of the kinds whose fields are known.
var types = map[objectstorage.Version]map[string]reflect.Type{
	objectstorage.V1alpha1: {
		"Bucket": reflect.TypeFor[v1alpha1.Bucket](), "BucketClaim": reflect.TypeFor[v1alpha1.BucketClaim](),
		"BucketAccess": reflect.TypeFor[v1alpha1.BucketAccess](), "BucketClass": reflect.TypeFor[v1alpha1.BucketClass](),
		"BucketAccessClass": reflect.TypeFor[v1alpha1.BucketAccessClass](),
	},
	objectstorage.V1alpha2: {
		"Bucket": reflect.TypeFor[v1alpha2.Bucket](), "BucketClaim": reflect.TypeFor[v1alpha2.BucketClaim](),
		"BucketAccess": reflect.TypeFor[v1alpha2.BucketAccess](), "BucketClass": reflect.TypeFor[v1alpha2.BucketClass](),
		"BucketAccessClass": reflect.TypeFor[v1alpha2.BucketAccessClass](),
	},
}

// expected checks that objects of a kind have the expected fields: a misspelt one would never
// appear.
func (v *validation) expected(all Expectations) {
	for i := range all {
		if kind := typeOf(v.api, "", all[i].Object.Kind); kind != nil {
			v.fields(&all[i].Pattern, kind, crds.Schema(v.api, all[i].Object.Kind), all[i].Object.Kind)
		}
	}
}

func (v *validation) fields(p *Pattern, of reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) {
	if p.Not != nil {
		v.fields(p.Not, of, schema, path)
		return
	}
	if !p.isOpen() && !v.shape(schema, shape{p.Position, p.IsMapping, p.IsList, p.Scalar}, path) {
		return
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		return // such as times, which are texts
	}
	if of.Kind() == reflect.Slice {
		for i := range p.Items {
			v.fields(&p.Items[i], of.Elem(), itemsOf(schema), path)
		}
		return
	}
	if of.Kind() == reflect.Struct {
		v.patternFields(p, of, schema, path)
	}
}

func (v *validation) patternFields(p *Pattern, of reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) {
	known := jsonFields(of)
	for i := range p.Fields {
		field := &p.Fields[i]
		inner, ok := known[field.Name]
		if of == reflect.TypeFor[metav1.Condition]() && field.Name == "type" {
			v.conditionType(&field.Pattern, path)
		}
		switch {
		case ok:
			v.fields(&field.Pattern, inner, propertyOf(schema, field.Name), path+"."+field.Name)
		case field.Pattern.Word != Absent && field.Key.IsZero():
			hint := suggest.From(field.Name, slices.Sorted(maps.Keys(known)))
			v.decoder.fail(field.Pattern.Position, "%s has no field %q: %s", path, field.Name, hint)
		}
	}
}

// conditionType checks that the type of a condition is not nearly one of COSI: components may have others.
func (v *validation) conditionType(p *Pattern, path string) {
	known := []string{
		v1alpha2.ConditionProvisioned, v1alpha2.ConditionResourcesValidated, v1alpha2.ConditionProvisionFailed, v1alpha2.ConditionInUse,
	}
	name, ok := p.Scalar.(string)
	if near, isNear := suggest.Near(name, known); ok && isNear && near != name {
		v.decoder.fail(p.Position, "%s has no type %q: did you mean %q?", path, name, near)
	}
}

// applied checks that applied objects are valid by the definitions of their kinds, unless the API server is
// expected to reject them.
func (v *validation) applied(s *Step, _ map[string]bool) {
	if !s.Rejected.IsZero() {
		return
	}
	for i := range *s.Apply {
		object := &(*s.Apply)[i].Value
		kind, version := object.text("kind"), object.text("apiVersion")
		served := v.api.GroupVersion()
		if group, _, _ := strings.Cut(version, "/"); group == served.Group && version != served.String() {
			v.decoder.fail(object.Field("apiVersion").Position, "apiVersion is %q, but the scenario is for %s", version, served)
			continue
		}
		if of := typeOf(v.api, version, kind); of != nil {
			before, schema := len(v.decoder.failed), crds.Schema(v.api, kind)
			v.values(object, of, schema, kind)
			if schema != nil && len(v.decoder.failed) == before { // a misspelt field is not missing, too
				v.required(object, schema, kind)
			}
			if schema != nil && len(v.decoder.failed) == before { // rules are about objects with the right fields
				v.rules(object, kind)
			}
		}
	}
}

// patched checks changed fields likewise.
func (v *validation) patched(s *Step, _ map[string]bool) {
	if !s.Rejected.IsZero() {
		return
	}
	for i := range *s.Patch {
		change := &(*s.Patch)[i]
		if of := typeOf(v.api, "", change.Object.Kind); of != nil {
			v.values(&change.Merge, of, crds.Schema(v.api, change.Object.Kind), change.Object.Kind)
		}
	}
}

// entries checks the values of a map, such as parameters.
func (v *validation) entries(value *Value, of reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) {
	if schema == nil || schema.AdditionalProperties == nil {
		return
	}
	for i := range value.Fields {
		field := &value.Fields[i]
		v.values(&field.Value, of, schema.AdditionalProperties.Schema, path+"."+field.Name)
	}
}

// values checks that a value has only fields of its type, with values that the API server accepts.
func (v *validation) values(value *Value, of reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) {
	if !v.shape(schema, shape{value.Position, value.IsMapping(), value.IsList(), value.Scalar}, path) {
		return
	}
	v.withinLimits(schema, value, path)
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		return
	}
	if of.Kind() == reflect.Slice {
		for i := range value.Items {
			v.values(&value.Items[i], of.Elem(), itemsOf(schema), path)
		}
		return
	}
	if of.Kind() == reflect.Map {
		v.entries(value, of.Elem(), schema, path)
	}
	if of.Kind() != reflect.Struct {
		return
	}
	known := jsonFields(of)
	for i := range value.Fields {
		field := &value.Fields[i]
		inner, ok := known[field.Name]
		switch {
		case ok:
			v.values(&field.Value, inner, propertyOf(schema, field.Name), path+"."+field.Name)
		case field.Key.IsZero():
			hint := cmp.Or(drafts.Field(path+"."+field.Name), suggest.From(field.Name, slices.Sorted(maps.Keys(known))))
			v.decoder.fail(field.Position, "%s has no field %q: %s", path, field.Name, hint)
		}
	}
}

// jsonFields returns the types of the fields of a struct by their names in JSON.
func jsonFields(of reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range of.Fields() {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "" && f.Anonymous: // its fields are inline
			maps.Copy(fields, jsonFields(f.Type))
		case name != "" && name != "-":
			fields[name] = f.Type
		}
	}
	return fields
}
