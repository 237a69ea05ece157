//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroup lets the command and all that it starts be one group.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
