package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/shlex"
)

// limit is for a command that does not end.
const limit = 5 * time.Minute

// shell runs commands in an empty root, one after another with one environment, as far as
// the people here use a shell: pipes, redirections, eval and variables.
type shell struct {
	root      string
	program   string // the directory of the archive, relative to the root
	port      string // what portName stands for
	variables map[string]string
}

// portName is what commands have instead of a port, which has to be free on the machine.
const portName = "PORT"

// home is the directory of the person, in which they type.
const home = "home/me"

// in returns the path that commands use for a file of the root.
func (s *shell) in(path string) string {
	if isolates {
		return "/" + path
	}
	return filepath.Join(s.root, path)
}

// out returns the path of a file that commands know by a path.
func (s *shell) out(path string) string {
	switch {
	case !filepath.IsAbs(path):
		return filepath.Join(s.root, home, path)
	case isolates:
		return filepath.Join(s.root, path)
	default:
		return path
	}
}

// beside returns the path of a file of the archive.
func (s *shell) beside(name string) string { return filepath.Join(s.root, s.program, name) }

// expect runs a command, and compares its result with the expected one.
func (s *shell) expect(ctx context.Context, c command) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fill := strings.NewReplacer(portName, s.port)
	printed, err := s.run(ctx, fill.Replace(c.text))
	switch {
	case c.fails && err == nil:
		return fmt.Errorf("%s\nit succeeds, and has to fail", printed)
	case !c.fails && err != nil:
		return fmt.Errorf("%s\n%w", printed, err)
	}
	if lines := strings.Count(printed, "\n"); c.most > 0 && lines > c.most {
		return fmt.Errorf("%s\nit prints %d lines, more than %d", printed, lines, c.most)
	}
	rest := printed
	for part := range strings.SplitSeq(fill.Replace(c.want), gap) {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return fmt.Errorf("%s\nit does not print %q", printed, part)
		}
		rest = after
	}
	return nil
}

// run runs a command, and returns its output.
func (s *shell) run(ctx context.Context, line string) (string, error) {
	if inner, ok := strings.CutPrefix(line, `eval "$(`); ok {
		return "", s.eval(ctx, strings.TrimSuffix(inner, `)"`))
	}
	line, file, redirected := strings.Cut(line, " > ")
	var printed string
	for part := range strings.SplitSeq(line, " | ") {
		args, err := s.split(part)
		if err == nil {
			printed, err = s.start(ctx, args, printed)
		}
		if err != nil {
			return printed, err
		}
	}
	if redirected {
		return "", os.WriteFile(s.out(file), []byte(printed), 0o600)
	}
	return printed, nil
}

// eval adds the variables that a command prints.
func (s *shell) eval(ctx context.Context, line string) error {
	printed, err := s.run(ctx, line+" -o json")
	if err != nil {
		return fmt.Errorf("%s: %w", printed, err)
	}
	return json.Unmarshal([]byte(printed), &s.variables)
}

// split returns the words of a command, with the variables that it names.
func (s *shell) split(line string) ([]string, error) {
	args, err := shlex.Split(line)
	for i := range args {
		if !strings.Contains(args[i], "$(") { // that is for a command, in quotes
			args[i] = os.Expand(args[i], func(name string) string { return s.variables[name] })
		}
	}
	return args, err
}

func (s *shell) start(ctx context.Context, args []string, stdin string) (string, error) {
	switch args[0] {
	case "cosi-emu":
		return s.cosiEmu(ctx, args[1:])
	case "echo":
		return strings.Join(args[1:], " ") + "\n", nil
	case "sed":
		return sed(args[1:], stdin)
	case "kubectl":
		return s.kubectl(ctx, args[1:], stdin)
	case "aws":
		return s.aws(ctx, args[1:])
	default:
		return "", fmt.Errorf("this newcomer has no %s", args[0])
	}
}

// sed implements the command of the program that newcomers use: s/PATTERN/REPLACEMENT/.
func sed(args []string, stdin string) (string, error) {
	expression, isCommand := strings.CutPrefix(strings.TrimSuffix(args[0], "/"), "s/")
	from, to, hasBoth := strings.Cut(expression, "/")
	if len(args) != 1 || !isCommand || !hasBoth {
		return "", fmt.Errorf("sed %s: this newcomer knows s/PATTERN/REPLACEMENT/", strings.Join(args, " "))
	}
	pattern, err := regexp.Compile(from)
	if err != nil {
		return "", err
	}
	var printed strings.Builder
	for line := range strings.Lines(stdin) {
		if at := pattern.FindStringIndex(line); at != nil {
			line = line[:at[0]] + to + line[at[1]:]
		}
		printed.WriteString(line)
	}
	return printed.String(), nil
}

// cosiEmu runs the program of the archive. It returns the program's output for programs, or without
// that, its output for people.
func (s *shell) cosiEmu(ctx context.Context, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, s.in(filepath.Join(s.program, "cosi-emu")), args...)
	cmd.Err = nil // it is looked up in the other root
	cmd.Dir = s.in(home)
	cmd.Env = []string{"HOME=" + s.in(home), "PATH=" + s.in(s.program), "TMPDIR=" + s.in("tmp")}
	for name, value := range s.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	// Not a nil reader: that would be the null device of this root.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(""), &stdout, &stderr
	s.isolate(cmd)
	if err := cmd.Run(); err != nil {
		return stdout.String() + stderr.String(), err
	}
	return cmp.Or(stdout.String(), stderr.String()), nil
}

// end stops what still runs.
func (s *shell) end() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if s.program == "" {
		return
	}
	if printed, err := s.cosiEmu(ctx, []string{"down", "--all"}); err != nil {
		fmt.Fprintln(os.Stderr, "cosi-emu down --all:", errors.Join(err, errors.New(printed)))
	}
}
