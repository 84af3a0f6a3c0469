package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/shlex"
)

// CommandLine splits the command line of a flag by the quotes of a shell, and finds its program. An
// empty one is nil.
func CommandLine(flag, line string) ([]string, error) {
	command, err := splitCommand(line)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", flag, line, err)
	}
	return command, nil
}

func splitCommand(line string) ([]string, error) {
	if line == "" {
		return nil, nil
	}
	command, err := shlex.Split(line)
	if err != nil {
		return nil, err
	}
	if len(command) == 0 || strings.TrimSpace(command[0]) == "" {
		return nil, errors.New("the command line names no program")
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return nil, fmt.Errorf("%w; give its path", err)
	}
	if command[0], err = filepath.Abs(program); err != nil {
		return nil, err
	}
	return command, nil
}

// CheckVariables rejects variables of a flag without the form KEY=VALUE. A value may be a secret,
// so the error does not contain it.
func CheckVariables(flag string, variables []string) error {
	for _, variable := range variables {
		if name, _, found := strings.Cut(variable, "="); !found || name == "" {
			return fmt.Errorf("%s %q: it must have the form KEY=VALUE", flag, name)
		}
	}
	return nil
}

// Quote returns text as one word for a shell, bare where that is safe.
func Quote(text string) string {
	const safe = "-_./:=@%+,"
	plain := text != "" && strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(safe, r)
	}) < 0
	if plain {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
