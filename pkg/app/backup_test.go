package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/backup"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
)

var kept = backup.Kept{Streams: stream.BackedUp(), Steady: stream.Lanes, Subjects: stream.Steady(), CreatedKey: stream.CreatedKey}

// backUp makes a backup.
func (m *timeMachine) backUp() (dir string) {
	m.t.Helper()
	dir = filepath.Join(m.t.TempDir(), "backup")
	_, err := kept.Write(m.t.Context(), m.js.Conn(), dir)
	require.NoError(m.t, err)
	return dir
}

// empty puts an empty NATS server in the place of the one that is there, which is lost.
func (m *timeMachine) empty() {
	m.t.Helper()
	m.swap(func() { require.NoError(m.t, os.RemoveAll(m.dir)) })
	require.Eventually(m.t, m.js.Conn().IsConnected, 2*time.Minute, 20*time.Millisecond)
}

func (m *timeMachine) restore(dir string) {
	m.t.Helper()
	_, err := kept.Restore(m.t.Context(), m.js.Conn(), dir, 0, func(backup.Stream) {})
	require.NoError(m.t, err)
}

// TestABackupHasAllThatADeploymentKeeps, and is restored only where nothing of it is in use, and only whole.
func TestABackupHasAllThatADeploymentKeeps(t *testing.T) {
	t.Parallel()
	m := newTimeMachine(t)
	var names []string
	for name := range m.js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	require.ElementsMatch(t, stream.Names(), names)
	dir := m.backUp()
	require.NoDirExists(t, filepath.Join(dir, stream.LedgerName), "the chain has all that is in it")
	_, err := kept.Write(t.Context(), m.js.Conn(), dir)
	require.ErrorContains(t, err, "not empty")
	m.send(m.project, 0, 1)
	_, err = kept.Restore(t.Context(), m.js.Conn(), dir, 0, func(backup.Stream) {})
	require.ErrorIs(t, err, backup.ErrExists, "beside what is used")
	require.NoError(t, os.Remove(filepath.Join(dir, "manifest.json")))
	_, err = kept.Restore(t.Context(), m.js.Conn(), dir, 0, func(backup.Stream) {})
	require.ErrorIs(t, err, backup.ErrIncomplete)
}

// TestDrillNewNATSServers moves a deployment to other servers: nothing is lost, nothing halts, and what was accepted stays a
// duplicate.
func TestDrillNewNATSServers(t *testing.T) {
	t.Parallel()
	m := newTimeMachine(t)
	m.send(m.project, 0, 10)
	m.points(m.project, 10)
	m.endRelayer()
	m.send(m.project, 10, 20) // accepted, in no transaction
	m.endAPI()
	dir := m.backUp()

	old := m.nats
	m.dir, m.port, m.monitor = filepath.Join(t.TempDir(), "new"), freePort(t), freePort(t)
	m.start()
	t.Cleanup(m.nats.Close)
	old.Close()
	conn, js, err := connector.NATS(t.Context(), &NATS{NATSURL: Secret(m.nats.URL)}, "test")
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	m.js = js
	broken := t.TempDir() // a first try that ends halfway
	require.NoError(t, os.CopyFS(broken, os.DirFS(dir)))
	require.NoError(t, os.RemoveAll(filepath.Join(broken, stream.Name)))
	_, err = kept.Restore(t.Context(), m.js.Conn(), broken, 0, func(backup.Stream) {})
	require.Error(t, err)
	var restored []string
	_, err = kept.Restore(t.Context(), m.js.Conn(), dir, 0, func(s backup.Stream) { restored = append(restored, s.Name) })
	require.NoError(t, err)
	require.Equal(t, []string{stream.Name}, restored, "what the first try brought is passed over")
	m.stream, err = stream.Open(t.Context(), m.js)
	require.NoError(t, err)
	m.marks, err = halt.Open(t.Context(), m.js)
	require.NoError(t, err)
	m.settings.NATS = m.apiSettings(t).NATS

	m.endAPI, m.endRelayer = m.startAPI(), m.startRelayer()
	require.Eventually(t, func() bool { // at once, unless Redis did not answer in time
		return m.send(m.project, 0, 20) == 0
	}, 2*time.Minute, time.Millisecond, "all are duplicates")
	require.Equal(t, 10, m.send(m.project, 20, 30))
	m.points(m.project, 30)
	require.False(t, m.look().Marker.Halts())
	m.audit()
}

// TestDrillNATSIsLost restores the backup that was made while updates came, after all servers lost their disks.
func TestDrillNATSIsLost(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newTimeMachine(t)
	m.send(m.project, 0, 10)
	m.points(m.project, 10)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		m.send(m.project, 10, 20)
	}()
	dir := m.backUp()
	<-sent
	m.send(m.project, 20, 30)
	m.points(m.project, 30)
	m.endRelayer()
	m.send(m.project, 30, 40) // accepted, in no transaction
	lost := m.create(2)
	m.send(lost, 0, 10)
	m.noted()
	m.empty()
	m.restore(dir)

	m.halted(100)
	nonce, err := m.chain.Client().NonceAt(t.Context(), devnet.Address(1), nil)
	require.NoError(t, err)
	m.endRelayer = m.startRelayer()
	require.Eventually(t, func() bool { state, _ := m.state(); return state.Epoch > 1 && state.Next < nonce }, 2*time.Minute, 20*time.Millisecond)
	m.resumeLane(nonce)
	h := m.look()
	require.True(t, h.Marker.Halts())
	_, err = h.Resume(t.Context(), true, 0, nil)
	require.NoError(t, err)
	require.NoError(t, sdk.Retry(t.Context(), func() error { return m.client.CreateProject(t.Context(), lost) }))
	m.send(m.project, 0, 50)
	m.send(lost, 0, 10)
	m.points(m.project, 50)
	m.points(lost, 10)
	m.audit()
}
