package dev

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func number(n int) *int { return &n }

func options(t *testing.T) Options {
	t.Helper()
	return Options{
		DataDir: t.TempDir(), APIs: 2, Relayers: 1, Lanes: number(1), Confirmations: 2, BlockTime: time.Second, Port: number(0),
	}
}

func TestOptionsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := options(t)
	require.NoError(t, o.Validate())
	o.APIs, o.Lanes, o.DataDir, o.Port, o.Set = 0, number(2000), "", number(70000), []string{"nats:SCORELAY_X=1"}
	o.RPCPort, o.NATSPort, o.BlockTime, o.Relayers = number(-1), number(65536), time.Millisecond, 33
	err := o.Validate()
	for _, says := range []string{
		"--apis must be from 1 to 32, is 0", "--lanes must be from 1 to 256, is 2000", "--data-dir must not be empty",
		"--port must be from 0 to 65536, is 70000", "--rpc-port must be from 0 to 65535, is -1", "--nats-port must be from 0",
		"--relayers must be from 1 to 32, is 33", "--block-time must be at least 10ms", "--set must be like", "--set needs --separate",
	} {
		require.ErrorContains(t, err, says)
	}
	o = options(t)
	o.Port, o.Lanes = nil, nil
	require.NoError(t, o.Validate(), "what is not asked for is not wrong")
}

func TestSettingsOfOneProcess(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Separate, o.Set = true, []string{"relayer:SCORELAY_WINDOW=4", "relayer.1:SCORELAY_CHAIN_RPC=http://a,http://b", "api:SCORELAY_RATE=1"}
	require.NoError(t, o.Validate())
	require.Equal(t, []string{"SCORELAY_WINDOW=4"}, o.overrides("relayer", 0))
	require.Equal(t, []string{"SCORELAY_WINDOW=4", "SCORELAY_CHAIN_RPC=http://a,http://b"}, o.overrides("relayer", 1))
	require.Equal(t, []string{"SCORELAY_RATE=1"}, o.overrides("api", 0))
}

func TestAProgramGetsOnlyTheSettingsOfItsStack(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"PATH=/bin", "HOME=/"}, withoutSettings([]string{"PATH=/bin", "SCORELAY_RATE=1", "HOME=/"}))
}

func TestInfoIsWrittenWhenReadyAndKeptCurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := &infoFile{dataDir: dir}
	require.NoError(t, file.setPID("api", 1, 11))
	_, err := ReadInfo(dir)
	require.ErrorIs(t, err, fs.ErrNotExist, "not before everything is ready")

	require.NoError(t, file.publish(func(i *Info) { i.APIURL = "http://x" }))
	require.NoError(t, file.setPID("api", 0, 10))
	info, err := ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, "http://x", info.APIURL)
	require.Equal(t, map[string][]int{"api": {10, 11}}, info.PIDs)

	require.NoError(t, file.setPID("api", 0, 0))
	info, err = ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, map[string][]int{"api": {11}}, info.PIDs, "a dead process is not listed")

	require.NoError(t, file.remove())
	_, err = ReadInfo(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
