package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const deploy = "../../deploy/"

// TestMaintainerScripts: what a package runs never fails, whatever its manager says to it
// and whether anything is mounted; there is no systemctl in a container.
func TestMaintainerScripts(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"sh", "grep", "sed"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	scripts, _ := filepath.Glob(deploy + "package/*.sh")
	if len(scripts) != 3 {
		t.Fatalf("%q", scripts)
	}
	for _, script := range scripts {
		for _, args := range [][]string{{}, {"configure", ""}, {"remove"}, {"upgrade", "0.2.0"}, {"purge"}, {"0"}, {"1"}, {"0.1.0-1"}} {
			cmd := exec.Command("sh", append([]string{script}, args...)...)
			cmd.Env = []string{"PATH=" + bin}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s %q: %v: %s", script, args, err, out)
			}
		}
	}
}

// TestPackageContents: what the packages are made of is there.
func TestPackageContents(t *testing.T) {
	raw, err := os.ReadFile(deploy + "package/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`src: ([a-z][\w./]+),`).FindAllStringSubmatch(string(raw), -1)
	if len(found) < 4 {
		t.Fatalf("%q", found)
	}
	for _, m := range found {
		if strings.HasPrefix(m[1], "dist/") {
			continue // scripts/package makes it
		}
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Error(err)
		}
	}
}

// TestShellScripts: the shells read all scripts, and shellcheck has nothing to say.
func TestShellScripts(t *testing.T) {
	var scripts []string
	for _, pattern := range []string{"../../scripts/*", deploy + "*/*.sh", deploy + "*/*/*.sh"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			shell, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "#!/bin/"), "\n")
			if shell != "sh" && shell != "bash" {
				continue
			}
			scripts = append(scripts, file)
			if out, err := exec.Command(shell, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", file, err, out)
			}
		}
	}
	if len(scripts) < 10 {
		t.Errorf("only %q", scripts)
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command("shellcheck", append([]string{"--severity=warning"}, scripts...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFeature holds the devcontainer feature to the fields of its schema
// (devcontainers/spec, schemas/devContainerFeature.schema.json).
func TestFeature(t *testing.T) {
	var feature struct {
		ID, Version, Name, Description, DocumentationURL, Entrypoint string

		Options map[string]struct{ Type, Default, Description string }
		Mounts  []struct{ Type, Source, Target string }

		CapAdd, SecurityOpt []string
		ContainerEnv        map[string]string
	}
	file, err := os.Open(deploy + "devcontainer/rnixfs/devcontainer-feature.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	strict := json.NewDecoder(file)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&feature); err != nil {
		t.Fatal(err)
	}
	if feature.ID != "rnixfs" || feature.Version == "" || feature.Options["url"].Type != "string" {
		t.Errorf("%+v", feature)
	}
	install, err := os.ReadFile(deploy + "devcontainer/rnixfs/install.sh")
	if err != nil || !strings.Contains(string(install), "cat >"+feature.Entrypoint) {
		t.Errorf("install.sh does not write %s (%v)", feature.Entrypoint, err)
	}
}

// inNamespace are the options that hide the mount from everybody else, because they give
// a service its own mount namespace; filters are those that imply NoNewPrivileges= in a
// user's unit (systemd.exec(5)).
var (
	inNamespace = regexp.MustCompile(`(?m)^(Private|Protect|ReadWrite|ReadOnly|Inaccessible|NoExecPaths|ExecPaths|Bind|Temporary|RootDirectory|RootImage|DynamicUser|Mount|ExtensionImages)\w*=`)
	filters     = regexp.MustCompile(`(?m)^(NoNewPrivileges|SystemCall\w*|Restrict\w*|LockPersonality|MemoryDenyWriteExecute|SecureBits)=`)
)

// TestUnits: systemd reads the units, and nothing in them hides the mount or takes the
// rights that a mount needs.
func TestUnits(t *testing.T) {
	for _, manager := range []string{"user", "system"} {
		raw, err := os.ReadFile(deploy + "systemd/" + manager + "/rnixfs.service")
		if err != nil {
			t.Fatal(err)
		}
		unit := string(raw)
		if found := inNamespace.FindString(unit); found != "" {
			t.Errorf("the %s's unit has %s", manager, found)
		}
		if found := filters.FindString(unit); manager == "user" && found != "" {
			t.Errorf("the user's unit has %s", found)
		}
		t.Run(manager, func(t *testing.T) {
			if _, err := exec.LookPath("systemd-analyze"); err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), "rnixfs.service")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "/usr/bin/rnixfs", binary)), 0o644); err != nil {
				t.Fatal(err)
			}
			verify := exec.Command("systemd-analyze", "verify", "--man=no", "--"+manager, file)
			verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
			out, err := verify.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "rnixfs.service:") && !strings.Contains(line, "notify-reload") { // not of the units of this machine
					t.Errorf("%s (%v)", line, err)
				}
			}
		})
	}
}
