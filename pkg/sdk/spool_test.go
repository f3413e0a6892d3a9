package sdk

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

func spoolUpdate(n byte) NamedUpdate {
	return NamedUpdate{UpdateID: score.UpdateID{n, 1}, ProjectID: score.ProjectID{2}, ActionName: "win ü", ScoreType: "s", TargetWallet: Address{3}}
}

func opened(t require.TestingT, path string) (*spool, []spooled) {
	s, entries, err := openSpool(path)
	require.NoError(t, err)
	return s, entries
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return raw
}

// puts puts updates of these numbers.
func puts(t *testing.T, s *spool, numbers ...byte) {
	t.Helper()
	for _, n := range numbers {
		require.NoError(t, s.put([]*held{{n: uint64(n), update: spoolUpdate(n)}}))
	}
}

// TestSpoolKeepsWhatIsNotDone plays any sequence of what a sender does, with crashes that cut off any part of what was not synced,
// and compactions at any time.
func TestSpoolKeepsWhatIsNotDone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		run, err := os.MkdirTemp(dir, "")
		require.NoError(t, err)
		path := filepath.Join(run, "spool")
		s, entries := opened(t, path)
		defer func() { s.close() }()
		require.Empty(t, entries)
		put, done := map[uint64]NamedUpdate{}, map[uint64]bool{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"put", "put", "accepted", "done", "compact", "restart", "crash"}).Draw(t, "step") {
			case "put":
				var all []*held
				for range rapid.IntRange(1, 4).Draw(t, "updates") {
					s.last++
					all = append(all, &held{n: s.last, update: spoolUpdate(byte(s.last))})
					put[s.last] = all[len(all)-1].update
				}
				require.NoError(t, s.put(all))
			case "accepted", "done":
				if len(s.live) > 0 {
					n := rapid.SampledFrom(slices.Sorted(maps.Keys(s.live))).Draw(t, "n")
					ends := rapid.Bool().Draw(t, "ends")
					s.mark(n, ends)
					done[n] = done[n] || ends
				}
			case "compact":
				s.compactAt = 0
			case "restart", "crash":
				synced := s.size - (s.appended - s.synced)
				s.close()
				if cut := rapid.Int64Range(synced, s.size).Draw(t, "cut"); rapid.Bool().Draw(t, "torn") {
					require.NoError(t, os.Truncate(path, cut))
				}
				if s, entries, err = openSpool(path); err != nil {
					t.Fatal(err)
				}
				require.Zero(t, s.damaged)
				found := map[uint64]bool{}
				for _, e := range entries {
					require.Equal(t, put[e.n], e.update)
					found[e.n] = true
				}
				for n := range put {
					require.True(t, found[n] || done[n], "number %d was put and is not done", n)
					if !found[n] {
						delete(put, n)
						continue
					}
					delete(done, n) // its mark was not synced
				}
				require.Len(t, put, len(entries))
			}
		}
	})
}

// TestVectorsOfTheSpool: the package in TypeScript reads the same file, and writes the same lines.
func TestVectorsOfTheSpool(t *testing.T) {
	t.Parallel()
	var lines []byte
	one, two := spoolUpdate(1), spoolUpdate(2)
	for _, l := range []spoolLine{
		{N: 1, Update: &one}, {N: 1, State: spoolAccepted}, {N: 2, Update: &one}, {N: 2, State: spoolDone}, {N: 3, Update: &two}, {N: 4, Update: &two},
	} {
		lines = l.append(lines)
	}
	vector := filepath.Join("testdata", "spool.txt")
	if *update {
		require.NoError(t, os.WriteFile(vector, append(lines, `12345678 {"n":5,"upda`...), 0o600))
	}
	raw := contents(t, vector)
	require.Equal(t, string(lines), string(raw[:len(lines)]))
	entries, last, damaged := parseSpool(raw)
	require.Equal(t, []spooled{{n: 1, update: one, accepted: true}, {n: 4, update: two}}, entries, "the newer of two that have one id")
	require.EqualValues(t, 4, last)
	require.Zero(t, damaged, "a torn line was promised to no caller")
}

func TestSpoolDamagedInTheMiddleIsKeptBeside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	s, _ := opened(t, path)
	puts(t, s, 1, 2, 3)
	_, _, err := openSpool(path)
	require.ErrorContains(t, err, "another sender has the spool")
	if flock, err := exec.LookPath("flock"); err == nil { // by which the npm package takes the lock
		require.Error(t, exec.CommandContext(t.Context(), flock, "-n", path+".lock", "true").Run())
	}
	s.close()
	raw := contents(t, path)
	raw[len(raw)/2] ^= 1
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	s, entries := opened(t, path)
	defer s.close()
	require.Len(t, entries, 2)
	require.Equal(t, 1, s.damaged)
	kept := contents(t, path+".damaged")
	require.Equal(t, raw, kept)
}

// TestSpoolDamagedAgainKeepsEarlierCopies, up to nine, of which the last gives way; a damage that was copied before is not copied again.
func TestSpoolDamagedAgainKeepsEarlierCopies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	damages := make([][]byte, 12)
	for i := range damages {
		damages[i] = spoolLine{N: uint64(i) + 1, State: spoolDone}.append([]byte("damaged\n"))
	}
	for _, raw := range slices.Insert(slices.Clone(damages), 1, damages[0]) {
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		s, _ := opened(t, path)
		require.Equal(t, 1, s.damaged)
		s.close()
		s, _ = opened(t, path)
		require.Zero(t, s.damaged)
		s.close()
	}
	for i, want := range slices.Concat(damages[:8], damages[11:]) {
		name := path + ".damaged"
		if i > 0 {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		kept := contents(t, name)
		require.Equal(t, want, kept)
	}
	found, err := filepath.Glob(path + ".damaged*")
	require.NoError(t, err)
	require.Len(t, found, 9)
}

// TestSpoolDamagedThatCannotBeCopied, such as on a full disk, is used as it is, and copied before it is rewritten.
func TestSpoolDamagedThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	one := spoolUpdate(1)
	raw := spoolLine{N: 1, Update: &one}.append([]byte("damaged\n"))
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	for i := range 9 {
		name := path + ".damaged"
		if i > 0 {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		require.NoError(t, os.MkdirAll(filepath.Join(name, "x"), 0o700))
	}
	s, entries := opened(t, path)
	defer s.close()
	require.Len(t, entries, 1)
	require.Equal(t, 1, s.damaged)
	s.compactAt = 0
	puts(t, s, 2)
	whole := contents(t, path)
	require.True(t, bytes.HasPrefix(whole, raw))

	require.NoError(t, os.RemoveAll(path+".damaged"))
	s.compactAt = 0
	puts(t, s, 3)
	kept := contents(t, path+".damaged")
	require.True(t, bytes.HasPrefix(kept, whole))
	whole = contents(t, path)
	require.NotContains(t, string(whole), "damaged")
}

// TestSpoolReadsItsLinesInOrder: a sender in TypeScript counts on from the newest that it found live, also in a file that could not be rewritten.
func TestSpoolReadsItsLinesInOrder(t *testing.T) {
	t.Parallel()
	one, two := spoolUpdate(1), spoolUpdate(2)
	var lines []byte
	for _, l := range []spoolLine{{N: 1, Update: &one}, {N: 1, State: spoolAccepted}, {N: 1, State: spoolDone}, {N: 1, Update: &two}} {
		lines = l.append(lines)
	}
	entries, _, damaged := parseSpool(lines)
	require.Zero(t, damaged)
	require.Equal(t, []spooled{{n: 1, update: two}}, entries)
}

// TestSpoolThatCannotBeWrittenPromisesNothing: the descriptor is closed under it, so that neither writing nor cutting works.
func TestSpoolThatCannotBeWrittenPromisesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	s, _ := opened(t, path)
	puts(t, s, 1)
	require.NoError(t, s.file.Close())
	for range 2 {
		require.ErrorIs(t, s.put([]*held{{n: 2, update: spoolUpdate(2)}}), ErrSpool)
	}
	s.close()
	_, entries := opened(t, path)
	require.Len(t, entries, 1)
}

// TestSpoolThatCannotBeRewritten, such as on a full disk, is used as it is, and leaves no half of another one there.
func TestSpoolThatCannotBeRewritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	s, _ := opened(t, path)
	puts(t, s, 1)
	_, err := s.file.WriteString(`12345678 {"n":2,"upda`)
	require.NoError(t, err)
	s.close()
	blocked := filepath.Join(path+".new", "x")
	require.NoError(t, os.MkdirAll(blocked, 0o700))
	for n := uint64(1); n <= 3; n++ {
		var entries []spooled
		s, entries = opened(t, path)
		require.Len(t, entries, int(n))
		require.Zero(t, s.damaged)
		require.NoError(t, s.put([]*held{{n: n + 1, update: spoolUpdate(byte(n + 1))}}))
		s.close()
	}

	require.NoError(t, os.RemoveAll(path+".new"))
	s, entries := opened(t, path)
	defer s.close()
	require.Len(t, entries, 4)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.MkdirAll(filepath.Join(path, "x"), 0o700)) // nothing can be renamed to it
	s.compactAt = 0
	puts(t, s, 5)
	require.NoFileExists(t, path+".new")
}

func FuzzParseSpool(f *testing.F) {
	one := spoolUpdate(1)
	line := spoolLine{N: 1, Update: &one}.append(nil)
	f.Add(spoolLine{N: 1, State: spoolDone}.append(line))
	f.Add(line[:len(line)-5])
	f.Fuzz(func(t *testing.T, raw []byte) {
		entries, last, damaged := parseSpool(raw)
		require.LessOrEqual(t, damaged, bytes.Count(raw, []byte{'\n'}))
		var again []byte
		for _, e := range entries {
			require.LessOrEqual(t, e.n, last)
			again = spoolLine{N: e.n, Update: &e.update}.append(again)
		}
		same, _, damaged := parseSpool(again)
		require.Zero(t, damaged)
		require.Len(t, same, len(entries))
		for i := range same {
			require.Equal(t, entries[i].update, same[i].update)
		}
	})
}
