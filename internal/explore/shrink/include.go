package shrink

import (
	"fmt"
	slash "path"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// include inlines the steps of used files, so that a scenario needs no other files, and
// steps can be removed one by one. A use step with other fields, such as when, stays. The
// scenario in the file root has been loaded before, so there are no cycles.
func include(steps *yaml.Node, file, root string) error {
	if steps == nil {
		return nil
	}
	var whole []*yaml.Node
	for _, step := range steps.Content {
		for _, within := range source.Nested(step) {
			if err := include(within, file, root); err != nil {
				return err
			}
		}
		used := source.Field(step, "use")
		if used == nil {
			whole = append(whole, step)
			continue
		}
		from := slash.Join(slash.Dir(file), used.Value)
		if len(step.Content) > len([]string{"use", from}) {
			relative, err := filepath.Rel(slash.Dir(root), from)
			if err != nil {
				return fmt.Errorf("resolve the path of the steps: %w", err)
			}
			used.Value, whole = filepath.ToSlash(relative), append(whole, step)
			continue
		}
		included, err := stepsOfFile(from, root)
		if err != nil {
			return err
		}
		whole = append(whole, included...)
	}
	steps.Content = whole
	return nil
}

func stepsOfFile(file, root string) ([]*yaml.Node, error) {
	text, err := document.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the steps: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) != 1 {
		return nil, fmt.Errorf("%w: %s has no steps", source.ErrScenario, file)
	}
	steps := source.Field(doc.Content[0], "steps")
	if steps == nil {
		return nil, fmt.Errorf("%w: %s has no steps", source.ErrScenario, file)
	}
	if err := include(steps, file, root); err != nil {
		return nil, err
	}
	return steps.Content, nil
}
