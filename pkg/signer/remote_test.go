package signer_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/remotesigner"
	"github.com/scorelay/scorelay/pkg/signer"
)

const chainID = 1337

func secret(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.HexToECDSA(devKey)
	require.NoError(t, err)
	return key
}

// described reads a description from a file, as a relayer does.
func described(t *testing.T, description map[string]any) (*signer.Signer, error) {
	t.Helper()
	raw, err := json.Marshal(description)
	require.NoError(t, err)
	path := file(t, t.TempDir(), "signer.json", string(raw))
	keys, err := signer.FromKeystore(path, "")
	if err != nil {
		require.ErrorContains(t, err, path)
		return nil, err
	}
	require.Len(t, keys, 1)
	return keys[0].For(chainID), nil
}

// remoteSigner is one whose description is right.
func remoteSigner(t *testing.T, description map[string]any) *signer.Signer {
	t.Helper()
	s, err := described(t, description)
	require.NoError(t, err)
	return s
}

// served is a remote signer with the development key, and its description.
func served(t *testing.T) (*remotesigner.Server, map[string]any) {
	t.Helper()
	server := remotesigner.New(chainID, secret(t))
	server.Start()
	t.Cleanup(server.Close)
	return server, map[string]any{"address": devAddress, "web3signer": server.URL}
}

func work(nonce uint64) *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(chainID), Nonce: nonce, To: &common.Address{7}, Gas: 5_000_000, GasFeeCap: big.NewInt(2e9), GasTipCap: big.NewInt(1e9),
		Value: new(big.Int), Data: []byte("a batch"),
	})
}

// requireSigns has a transaction signed, and holds it against what was asked for.
func requireSigns(t *testing.T, s *signer.Signer, asked *types.Transaction, how ...any) {
	t.Helper()
	signed, err := s.Sign(t.Context(), asked)
	require.NoError(t, err, how...)
	rules := types.LatestSignerForChainID(big.NewInt(chainID))
	require.Equal(t, rules.Hash(asked), rules.Hash(signed))
	from, err := types.Sender(rules, signed)
	require.NoError(t, err)
	require.Equal(t, common.HexToAddress(devAddress), from)
}

func TestARemoteSignerSignsWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	server, description := served(t)
	s := remoteSigner(t, description)
	asked, _ := server.Asked()
	require.Zero(t, asked, "reading a description asks for nothing: the signer may be away")
	for name, spoil := range map[string]remotesigner.Spoil{
		"as web3signer": nil,
		"as geth": func(_ context.Context, _ *ecdsa.PrivateKey, _, signed *types.Transaction) (any, error) {
			raw, err := remotesigner.Hex(signed)
			return map[string]any{"raw": raw, "tx": signed}, err
		},
	} {
		server.Spoil(spoil)
		for _, tx := range []*types.Transaction{
			work(3), types.NewTx(&types.LegacyTx{Nonce: 4, To: &common.Address{7}, Gas: 21_000, GasPrice: big.NewInt(2), Value: new(big.Int)}),
			types.NewTx(&types.DynamicFeeTx{ // a contract's creation
				ChainID: big.NewInt(chainID), Gas: 21_000, GasFeeCap: big.NewInt(2), GasTipCap: big.NewInt(1), Value: big.NewInt(9), Data: make([]byte, 128<<10),
			}),
		} {
			requireSigns(t, s, tx, name)
		}
	}
	_, err := s.Sign(t.Context(), types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(1), GasFeeCap: new(big.Int), GasTipCap: new(big.Int)}))
	require.ErrorIs(t, err, types.ErrInvalidChainId)
}

// TestARemoteSignerSignsTypedData, whose signature is refused where it is over something else than the digest.
func TestARemoteSignerSignsTypedData(t *testing.T) {
	t.Parallel()
	const mail = `{"domain": {"name": "x"}, "primaryType": "Mail", "message": {"text": "hello"}, "types": {
		"EIP712Domain": [{"name": "name", "type": "string"}], "Mail": [{"name": "text", "type": "string"}]}}`
	var data apitypes.TypedData
	require.NoError(t, json.Unmarshal([]byte(mail), &data))
	hash, _, err := apitypes.TypedDataAndHash(data)
	require.NoError(t, err)
	digest := common.Hash(hash)
	_, description := served(t)
	remote := remoteSigner(t, description)
	here, err := signer.FromHex(devKey, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	want, err := here.SignTyped(t.Context(), []byte(mail), digest)
	require.NoError(t, err)
	got, err := remote.SignTyped(t.Context(), []byte(mail), digest)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = remote.SignTyped(t.Context(), []byte(mail), common.Hash{1})
	require.ErrorIs(t, err, signer.ErrUntrue)
	_, err = remote.SignTyped(t.Context(), []byte("{"), digest)
	require.ErrorContains(t, err, "the remote signer does not sign: ")
	description["address"] = common.Address{1}.Hex()
	other := remoteSigner(t, description)
	_, err = other.SignTyped(t.Context(), []byte(mail), digest)
	require.ErrorContains(t, err, "not unlocked")
	for _, answer := range []string{`"0x"`, `"0x1b"`, `"0x` + strings.Repeat("ff", 65) + `"`} {
		untrue := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc": "2.0", "id": 1, "result": `+answer+`}`)
		}))
		t.Cleanup(untrue.Close)
		liar := remoteSigner(t, map[string]any{"address": devAddress, "web3signer": untrue.URL})
		_, err = liar.SignTyped(t.Context(), []byte(mail), digest)
		require.ErrorIs(t, err, signer.ErrUntrue, answer)
	}
}

// TestWhatARemoteSignerAnswersIsChecked: nothing passes but the transaction asked for, signed by the account.
func TestWhatARemoteSignerAnswersIsChecked(t *testing.T) {
	t.Parallel()
	other, err := crypto.GenerateKey()
	require.NoError(t, err)
	signedBy := func(key *ecdsa.PrivateKey, chain int64, change func(*types.DynamicFeeTx)) (any, error) {
		tx := &types.DynamicFeeTx{
			ChainID: big.NewInt(chain), Nonce: 3, To: &common.Address{7}, Gas: 5_000_000, GasFeeCap: big.NewInt(2e9), GasTipCap: big.NewInt(1e9),
			Value: new(big.Int), Data: []byte("a batch"),
		}
		change(tx)
		signed, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(chain)), tx)
		if err != nil {
			return nil, err
		}
		return remotesigner.Hex(signed)
	}
	same := func(*types.DynamicFeeTx) {}
	changed := func(change func(*types.DynamicFeeTx)) remotesigner.Spoil {
		return func(_ context.Context, key *ecdsa.PrivateKey, _, _ *types.Transaction) (any, error) {
			return signedBy(key, chainID, change)
		}
	}
	said := func(answer any) remotesigner.Spoil {
		return func(context.Context, *ecdsa.PrivateKey, *types.Transaction, *types.Transaction) (any, error) {
			return answer, nil
		}
	}
	for says, spoil := range map[string]remotesigner.Spoil{
		"nonce 4 instead of nonce 3":                       changed(func(tx *types.DynamicFeeTx) { tx.Nonce = 4 }),
		"fee cap 3000000000 instead of fee cap 2000000000": changed(func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(3e9) }),
		"data of hash":                             changed(func(tx *types.DynamicFeeTx) { tx.Data = []byte("another batch") }),
		"value 1 instead of value 0":               changed(func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }),
		"value of 1000001 bits instead of value 0": changed(func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int).Lsh(big.NewInt(1), 1_000_000) }),
		"it differs in its access list":            changed(func(tx *types.DynamicFeeTx) { tx.AccessList = types.AccessList{{Address: common.Address{1}}} }),
		"chain id 1 instead of chain id 1337": func(_ context.Context, key *ecdsa.PrivateKey, _, _ *types.Transaction) (any, error) {
			return signedBy(key, 1, same)
		},
		"type 0 instead of type 2": func(_ context.Context, key *ecdsa.PrivateKey, asked, _ *types.Transaction) (any, error) {
			legacy, err := types.SignNewTx(key, types.HomesteadSigner{}, &types.LegacyTx{
				Nonce: 3, To: asked.To(), Gas: asked.Gas(), GasPrice: asked.GasFeeCap(), Value: new(big.Int), Data: asked.Data(),
			})
			if err != nil {
				return nil, err
			}
			return remotesigner.Hex(legacy)
		},
		"it is signed by " + crypto.PubkeyToAddress(other.PublicKey).Hex() + " and not by " + devAddress: func(context.Context, *ecdsa.PrivateKey, *types.Transaction, *types.Transaction) (any, error) {
			return signedBy(other, chainID, same)
		},
		"has a high s": func(_ context.Context, _ *ecdsa.PrivateKey, _, signed *types.Transaction) (any, error) {
			return remotesigner.Hex(remotesigner.HighS(signed))
		},
		"it is no transaction in hex": said([]int{1}),
		"it is no transaction: ":      said("0x02c0ffee"),
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			server, description := served(t)
			s := remoteSigner(t, description)
			server.Spoil(spoil)
			signed, err := s.Sign(t.Context(), work(3))
			require.Nil(t, signed)
			require.ErrorIs(t, err, signer.ErrUntrue)
			require.ErrorContains(t, err, says)
			require.Less(t, len(err.Error()), 600)
		})
	}
}

// TestALegacyTransactionIsForItsChainOnly: without the chain in its signature it could be sent to any.
func TestALegacyTransactionIsForItsChainOnly(t *testing.T) {
	t.Parallel()
	asked := &types.LegacyTx{Nonce: 3, To: &common.Address{7}, Gas: 21_000, GasPrice: big.NewInt(2), Value: new(big.Int)}
	for says, rules := range map[string]types.Signer{
		"chain id none instead of chain id 1337": types.HomesteadSigner{}, "chain id 1 instead of chain id 1337": types.NewEIP155Signer(big.NewInt(1)),
	} {
		server, description := served(t)
		s := remoteSigner(t, description)
		server.Spoil(func(_ context.Context, key *ecdsa.PrivateKey, _, _ *types.Transaction) (any, error) {
			signed, err := types.SignNewTx(key, rules, asked)
			if err != nil {
				return nil, err
			}
			return remotesigner.Hex(signed)
		})
		_, err := s.Sign(t.Context(), types.NewTx(asked))
		require.ErrorIs(t, err, signer.ErrUntrue)
		require.ErrorContains(t, err, says)
	}
}

// TestARemoteSignerThatFailsIsLeftAloneForAWhile, and asked again after it. One that only stumbles is asked twice at once.
func TestARemoteSignerThatFailsIsLeftAloneForAWhile(t *testing.T) {
	t.Parallel()
	server, description := served(t)
	description["timeout"] = "100ms"
	s := remoteSigner(t, description)
	gone := make(chan struct{}, 1)
	server.Spoil(func(ctx context.Context, _ *ecdsa.PrivateKey, _, _ *types.Transaction) (any, error) {
		<-ctx.Done() // of the caller
		gone <- struct{}{}
		return nil, ctx.Err()
	})
	_, err := s.Sign(t.Context(), work(3))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "the remote signer did not answer within 100ms")
	<-gone
	server.Spoil(nil)
	before, _ := server.Asked()
	_, err = s.Sign(t.Context(), work(3))
	require.ErrorContains(t, err, "it is asked again in ")
	after, _ := server.Asked()
	require.Equal(t, before, after)
	require.Eventually(t, func() bool {
		_, err := s.Sign(t.Context(), work(3))
		return err == nil
	}, time.Minute, 10*time.Millisecond)

	server.Spoil(func(context.Context, *ecdsa.PrivateKey, *types.Transaction, *types.Transaction) (any, error) {
		return nil, errors.New("the vault is sealed " + strings.Repeat("x", 1000))
	})
	before, _ = server.Asked()
	_, err = s.Sign(t.Context(), work(3))
	require.ErrorContains(t, err, "the remote signer does not sign: the vault is sealed xxx")
	require.Less(t, len(err.Error()), 500)
	after, _ = server.Asked()
	require.Equal(t, before+1, after, "what it refuses is not asked twice")

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	healthy := remoteSigner(t, description)
	server.Spoil(nil)
	_, err = healthy.Sign(cancelled, work(3))
	require.ErrorIs(t, err, context.Canceled)
	_, err = healthy.Sign(t.Context(), work(3))
	require.NoError(t, err, "that a caller went says nothing of the signer")
}

func TestARemoteSignerThatStumblesIsAskedTwice(t *testing.T) {
	t.Parallel()
	server := remotesigner.New(chainID, secret(t))
	true200, asked := server.Config.Handler, 0
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		true200.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	s := remoteSigner(t, map[string]any{"address": devAddress, "web3signer": server.URL})
	requireSigns(t, s, work(3))
}

// TestNothingElseThanAnswersOfBoundedSizeFromTheAddressGiven is read.
func TestNothingElseThanAnswersOfBoundedSizeFromTheAddressGiven(t *testing.T) {
	t.Parallel()
	for says, handler := range map[string]http.HandlerFunc{
		"it redirects to another address": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere?secret=hush", http.StatusTemporaryRedirect)
		},
		"too large": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":"0x`)
			for range 5 << 20 / 1024 {
				if _, err := fmt.Fprint(w, strings.Repeat("0", 1024)); err != nil {
					return
				}
			}
		},
		"401 Unauthorized":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) },
		"invalid character": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
	} {
		server := remotesigner.New(chainID)
		server.Config.Handler = handler
		server.Start()
		t.Cleanup(server.Close)
		s := remoteSigner(t, map[string]any{"address": devAddress, "web3signer": server.URL + "/hush"})
		_, err := s.Sign(t.Context(), work(3))
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hush", "an address may hold a secret")
	}
}

// TestARemoteSignerIsToldWhoAsks by a client certificate or a token, whose files may be replaced.
func TestARemoteSignerIsToldWhoAsks(t *testing.T) {
	server := remotesigner.New(chainID, secret(t))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	pair := server.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	certificate := file(t, dir, "c.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})))
	t.Setenv("SSL_CERT_FILE", certificate) // httptest's certificate is its own authority
	key := file(t, dir, "k.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	token := file(t, dir, "token", "hush-1\n")
	description := map[string]any{
		"address": devAddress, "web3signer": server.URL, "certificateFile": certificate, "keyFile": key, "tokenFile": token,
	}
	s := remoteSigner(t, description)
	for _, now := range []string{"hush-1", "hush-2"} {
		file(t, dir, "token", now)
		requireSigns(t, s, work(3))
		_, header := server.Asked()
		require.Equal(t, "Bearer "+now, header.Get("Authorization"))
	}
	require.NoError(t, os.Remove(token))
	_, err = s.Sign(t.Context(), work(3))
	require.ErrorIs(t, err, os.ErrNotExist)

	delete(description, "certificateFile")
	delete(description, "keyFile")
	delete(description, "tokenFile")
	nameless := remoteSigner(t, description)
	_, err = nameless.Sign(t.Context(), work(3))
	require.ErrorContains(t, err, "certificate required")
}

func TestADescriptionThatIsWrongSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]map[string]any{
		"address must be that of the signer's account":                       {"address": "0x12"},
		"set one of web3signer and awsKms":                                   {"awsKms": "arn:aws:kms:eu-west-1:111122223333:key/a"},
		"awsKms must be the ARN of a key or of an alias":                     {"web3signer": "", "awsKms": "hush"},
		"are not for awsKms":                                                 {"web3signer": "", "awsKms": "arn:aws:kms:eu-west-1:1:key/a", "tokenFile": "t"},
		"web3signer must be an address that begins with http:// or https://": {"web3signer": "signer:9000"},
		"web3signer must hold no user or password":                           {"web3signer": "https://u:hush@signer"},
		"tokenFile and certificateFile need https://":                        {"tokenFile": "t"},
		"set both of certificateFile and keyFile, or none":                   {"web3signer": "https://signer", "certificateFile": "c"},
		"couldn't read the client certificate for the remote signer":         {"web3signer": "https://signer", "certificateFile": "/c", "keyFile": "/k"},
		"couldn't read the remote signer's token file; its setting":          {"web3signer": "https://signer", "tokenFile": "hush"},
		"timeout must be more than 0 and at most 10s":                        {"timeout": "1m"},
		`unknown field "chainId"`:                                            {"chainId": 1},
		"cannot unmarshal number":                                            {"timeout": 5},
	} {
		description := map[string]any{"address": devAddress, "web3signer": "http://127.0.0.1:9000"}
		for name, value := range change {
			description[name] = value
		}
		_, err := described(t, description)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hush")
	}
}

// TestADirectoryHoldsKeysAndDescriptions side by side; only keys need a password.
func TestADirectoryHoldsKeysAndDescriptions(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), file(t, t.TempDir(), "password", "p")
	write(t, dir, "a", "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d", "p")
	file(t, dir, "b.json", `{"address":"`+devAddress+`","web3signer":"http://127.0.0.1:1"}`)
	keys, err := signer.FromKeystore(dir, password)
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.Equal(t, devAddress, keys[1].Address().Hex())
	require.Equal(t, "signer "+devAddress, fmt.Sprintf("%+v", keys[1]))

	keys, err = signer.NewKeystore(dir, "").Read()
	require.ErrorIs(t, err, signer.ErrPasswordFile)
	require.ErrorContains(t, err, filepath.Join(dir, "a")+" describes no remote signer; name the file that holds the keystore's password")
	require.Len(t, keys, 1, "the remote one is there all the same")
}
