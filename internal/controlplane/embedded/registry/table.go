package registry

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// table converts objects to the table that kubectl prints. It has the same columns as a
// kube-apiserver's.
type table[T any, P object[T]] struct {
	columns []metav1.TableColumnDefinition
	row     func(obj P) []any
	// conditions are the conditions of a row; nil means none.
	conditions func(obj P) []metav1.TableRowCondition
}

// ConvertToTable implements rest.TableConvertor.
func (t table[T, P]) ConvertToTable(_ context.Context, obj, options runtime.Object) (*metav1.Table, error) {
	result := &metav1.Table{Rows: []metav1.TableRow{}}
	if err := t.addRows(result, obj); err != nil {
		return nil, err
	}
	if list, err := meta.ListAccessor(obj); err == nil {
		result.ResourceVersion, result.Continue = list.GetResourceVersion(), list.GetContinue()
		result.RemainingItemCount = list.GetRemainingItemCount()
	} else if single, err := meta.CommonAccessor(obj); err == nil {
		result.ResourceVersion = single.GetResourceVersion()
	}
	if opts, ok := options.(*metav1.TableOptions); !ok || !opts.NoHeaders {
		result.ColumnDefinitions = t.columns
	}
	return result, nil
}

func (t table[T, P]) addRows(result *metav1.Table, obj runtime.Object) error {
	add := func(obj runtime.Object) error {
		typed, ok := obj.(P)
		if !ok {
			return fmt.Errorf("no table is known for %T", obj)
		}
		row := metav1.TableRow{Cells: t.row(typed), Object: runtime.RawExtension{Object: obj}}
		if t.conditions != nil {
			row.Conditions = t.conditions(typed)
		}
		result.Rows = append(result.Rows, row)
		return nil
	}
	if meta.IsListType(obj) {
		return meta.EachListItem(obj, add)
	}
	return add(obj)
}

func nameColumn() metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{
		Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"],
	}
}

func ageColumn() metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{
		Name: "Age", Type: "string", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"],
	}
}

func column(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "string", Description: description}
}

// wideColumn is a column that kubectl prints with -o wide.
func wideColumn(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "string", Description: description, Priority: 1}
}

// since returns the time that has passed, as kubectl prints it.
func since(t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(t))
}

func age(obj metav1.Object) string { return since(obj.GetCreationTimestamp().Time) }
