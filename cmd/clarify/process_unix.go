//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroup lets the command and all that it starts be one group, which ends with its
// context.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
