//go:build !linux

package main

import "os/exec"

// isolates is false: here a program cannot run in another root, because it needs the
// libraries of the system. It has an empty home, and a PATH with nothing but the archive.
const isolates = false

func (*shell) isolate(*exec.Cmd) {}
