package dev

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
)

// silent is a say without a screen.
func silent(string) {}

// write makes a file with its folders.
func write(t *testing.T, content string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

func TestAForeignFolderIsRefusedAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	files := map[string]string{"nats": "my notes", "redis/dump.rdb": "my data", "logs": "my logs", "dev.json": "{}", "chain/x": "mine", "kept.json": "mine"}
	for name, content := range files {
		write(t, content, path, name)
	}
	before := listing(t, path)
	_, err := openDataDir(path)
	require.ErrorContains(t, err, path+" is not a folder of `scorelay dev`")
	require.ErrorContains(t, err, "it holds chain, dev.json, kept.json, 3 more and no "+Label)
	require.ErrorContains(t, err, "Nothing in it was changed")
	require.ErrorContains(t, err, "Choose a folder that is empty or does not exist")
	require.Equal(t, before, listing(t, path))
}

// listing is every file below a folder, with its content.
func listing(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.Walk(path, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			files[name] = "folder"
			return err
		}
		raw, err := os.ReadFile(name)
		files[name] = string(raw)
		return err
	}))
	return files
}

func TestAFileIsNoDataDirectory(t *testing.T) {
	t.Parallel()
	_, err := openDataDir(write(t, "", t.TempDir(), "file"))
	require.ErrorContains(t, err, "couldn't make the data directory")
}

// marked is a folder with our label and nothing else, as a cloned repository may bring it, and one that is not ours.
func marked(t *testing.T) (path, outside string) {
	t.Helper()
	path, outside = t.TempDir(), t.TempDir()
	write(t, "", path, Label)
	write(t, "precious", outside, "file")
	return path, outside
}

func TestALinkOutOfTheDataDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"lock", "nats", "redis", "chain", "logs",
		"nats/jetstream", "redis/appendonlydir", "chain/geth/chaindata", "logs/dev.log",
	} {
		for _, target := range []string{"file", ".", "absent"} {
			path, outside := marked(t)
			link, target := filepath.Join(path, name), filepath.Join(outside, target)
			require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o755))
			require.NoError(t, os.Symlink(target, link))
			before := listing(t, outside)
			_, err := openDataDir(path)
			what := " is a symbolic link, and `scorelay dev` writes nothing through links"
			if name == "lock" {
				what = " is not a regular file, so it cannot lock the data directory"
			}
			require.EqualError(t, err, link+what+"; remove it, or choose another folder with --data-dir")
			require.Equal(t, before, listing(t, outside))

			require.NoError(t, os.Remove(link))
			d, err := openDataDir(path)
			require.NoError(t, err, "the refusal left no lock behind")
			d.release()
		}
	}
}

func TestALockThatIsAFolderIsRefused(t *testing.T) {
	t.Parallel()
	path, _ := marked(t)
	require.NoError(t, os.Mkdir(filepath.Join(path, "lock"), 0o755))
	_, err := openDataDir(path)
	require.ErrorContains(t, err, filepath.Join(path, "lock")+" is not a regular file")
}

func TestNothingIsWrittenThroughLinksOrIntoFilesThatWereThere(t *testing.T) {
	t.Parallel()
	path, outside := marked(t)
	for name, target := range map[string]string{
		"kept.json": "file", "kept.json.new": "file", "dev.json": "file", "dev.json.new": "file", "logs.old": ".",
	} {
		require.NoError(t, os.Symlink(filepath.Join(outside, target), filepath.Join(path, name)))
	}
	before := listing(t, outside)
	d, err := openDataDir(path)
	require.NoError(t, err)
	defer d.release()
	_, closeLog, err := d.logger(nil)
	require.NoError(t, err)
	closeLog()
	require.NoError(t, d.discard())
	require.NoError(t, d.writeKept(&kept{APIKey: "secret"}))
	require.NoError(t, (&devnet.Info{APIKey: "secret"}).Write(path))
	require.Equal(t, before, listing(t, outside))
	for _, name := range []string{"kept.json", "dev.json"} {
		info, err := os.Lstat(filepath.Join(path, name))
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular())
	}
}

func TestFilesWithTheKeyAreTheOwnersOnly(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	for _, name := range []string{"dev.json", "dev.json.new"} {
		require.NoError(t, os.WriteFile(filepath.Join(path, name), nil, 0o644))
	}
	require.NoError(t, devnet.WriteJSON(filepath.Join(path, "dev.json"), &devnet.Info{APIURLs: []string{"x"}, APIKey: "secret"}))
	info, err := os.Stat(filepath.Join(path, "dev.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	read, err := devnet.ReadInfo(path)
	require.NoError(t, err)
	require.Equal(t, "secret", read.APIKey)
	require.Len(t, listing(t, path), 3, "the folder and both files: nothing is left beside them")
	require.Empty(t, listing(t, path)[filepath.Join(path, "dev.json.new")])
}

func TestAFileThatCannotBeReplacedLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	inside := write(t, "", path, "dev.json", "x") // a folder in its place
	err := devnet.WriteJSON(filepath.Dir(inside), &devnet.Info{APIKey: "secret"})
	require.ErrorContains(t, err, "couldn't write "+filepath.Dir(inside))
	require.Len(t, listing(t, path), 3, "the folder, dev.json and x")
}

func TestNewEmptyAndMarkedFoldersAreTaken(t *testing.T) {
	t.Parallel()
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "not", "yet")} {
		d, err := openDataDir(path)
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(path, Label))
		write(t, "", d.nats(), "jetstream")
		d.release()
		d, err = openDataDir(path)
		require.NoError(t, err, "it is ours now, full or not")
		require.FileExists(t, filepath.Join(d.nats(), "jetstream"))
		d.release()
	}
}

func TestARunningStackIsSaidBeforeItsPorts(t *testing.T) {
	t.Parallel()
	o := options(t)
	d, err := openDataDir(o.DataDir)
	require.NoError(t, err)
	defer d.release()
	l := occupied(t)
	o.Port = number(l)
	err = Run(t.Context(), t.Context(), o, silent, nil)
	require.ErrorContains(t, err, fmt.Sprintf("another `scorelay dev` (process %d) runs with the data directory %s", os.Getpid(), o.DataDir))
	require.NotContains(t, err.Error(), "port")
}

// prepared prepares a stack's data directory.
func prepared(d *dataDir, o Options) (*Stack, error) {
	s := &Stack{Options: o, dir: d, say: silent}
	defer s.releasePorts()
	return s, s.prepare()
}

func TestFreshForgetsWhatIsOursOnly(t *testing.T) {
	t.Parallel()
	o := options(t)
	d, err := openDataDir(o.DataDir)
	require.NoError(t, err)
	defer d.release()
	ours := []string{write(t, "", d.nats(), "x"), write(t, "", d.redis(), "x"), write(t, "", d.chain(), "x")}
	mine := write(t, "mine", d.path, "notes.txt")
	require.NoError(t, d.writeKept(&kept{Port: occupied(t), Lanes: 1, Ready: true, APIKey: "k"}))

	o.Port = nil
	s, err := prepared(d, o)
	require.ErrorContains(t, err, "is taken", "the kept port")
	require.Equal(t, "k", s.kept.APIKey)
	for _, path := range ours {
		require.FileExists(t, path)
	}
	o.Fresh, o.Port = true, number(0)
	s, err = prepared(d, o)
	require.NoError(t, err)
	require.False(t, s.kept.Ready)
	require.Empty(t, s.kept.APIKey)
	for _, path := range ours {
		require.NoFileExists(t, path)
	}
	require.FileExists(t, mine)
}

func TestTheLastRunsLogsStay(t *testing.T) {
	t.Parallel()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	for _, line := range []string{"first", "second"} {
		log, done, err := d.logger(nil)
		require.NoError(t, err)
		log.Info("a start", "which", line)
		done()
	}
	for dir, line := range map[string]string{d.logs(): "second", d.logs() + ".old": "first"} {
		raw, err := os.ReadFile(filepath.Join(dir, "dev.log"))
		require.NoError(t, err)
		require.Contains(t, string(raw), line)
	}
}

func TestKeptSettings(t *testing.T) {
	t.Parallel()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	k, err := d.readKept()
	require.NoError(t, err)
	require.Nil(t, k)
	want := &kept{Port: 1, RPCPort: 2, Lanes: 4, Ready: true, APIKey: "key", ProjectID: score.ProjectID{5}}
	require.NoError(t, d.writeKept(want))
	k, err = d.readKept()
	require.NoError(t, err)
	require.Equal(t, want, k)
	for _, damaged := range []string{"{", "{}", "null"} {
		write(t, damaged, d.settings())
		_, err = d.readKept()
		require.ErrorContains(t, err, "`scorelay dev --fresh` begins again")
	}
}
