// Package remotesigner is a server of JSON-RPC with eth_signTransaction and eth_signTypedData, as web3signer is one, for tests: it signs
// with real keys what it is asked for, and misbehaves when told to.
package remotesigner

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

// Server refuses what web3signer refuses: a transaction without a nonce, and accounts that are not its own. Like web3signer it signs for
// the chain of its own settings, not for that of the request. Its methods may be called from several goroutines.
type Server struct {
	*httptest.Server // not started yet: Start it, or StartTLS

	chainID *big.Int
	keys    map[common.Address]*ecdsa.PrivateKey

	mu     sync.Mutex
	spoil  Spoil
	asked  int
	header http.Header
}

// Spoil makes another answer of the true one: a hex string, an object, or an error; ctx ends when the caller is gone.
type Spoil func(ctx context.Context, key *ecdsa.PrivateKey, asked *types.Transaction, signed *types.Transaction) (any, error)

// New makes a server that holds some keys.
func New(chainID uint64, keys ...*ecdsa.PrivateKey) *Server {
	s := &Server{chainID: new(big.Int).SetUint64(chainID), keys: map[common.Address]*ecdsa.PrivateKey{}}
	for _, key := range keys {
		s.keys[crypto.PubkeyToAddress(key.PublicKey)] = key
	}
	service := rpc.NewServer()
	if err := service.RegisterName("eth", &eth{s}); err != nil {
		panic(err) // the type below has no method that can be served
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.header = r.Header.Clone()
		s.mu.Unlock()
		service.ServeHTTP(w, r)
	}))
	return s
}

// Spoil has answers made by spoil from now on; nil has them true again.
func (s *Server) Spoil(spoil Spoil) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = spoil
}

// Asked is how often it was asked to sign, and the header of the last request.
func (s *Server) Asked() (int, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.header
}

// eth is the namespace eth.
type eth struct{ server *Server }

// Arguments are those of eth_signTransaction that web3signer reads.
type Arguments struct {
	From                 common.Address
	To                   *common.Address
	Gas, Nonce           *hexutil.Uint64
	GasPrice             *hexutil.Big
	MaxFeePerGas         *hexutil.Big
	MaxPriorityFeePerGas *hexutil.Big
	Value                *hexutil.Big
	Data                 hexutil.Bytes
	ChainID              *hexutil.Big
}

// SignTransaction is eth_signTransaction.
func (e *eth) SignTransaction(ctx context.Context, a Arguments) (any, error) {
	s := e.server
	s.mu.Lock()
	s.asked++
	spoil := s.spoil
	s.mu.Unlock()
	key := s.keys[a.From]
	switch {
	case key == nil:
		return nil, errors.New("Signing from account not unlocked") // as web3signer writes it
	case a.Nonce == nil || a.Gas == nil || a.Value == nil || a.ChainID == nil:
		return nil, fmt.Errorf("Invalid params: %+v", a) // as web3signer writes it
	}
	asked := a.transaction(s.chainID)
	signed, err := types.SignTx(asked, types.LatestSignerForChainID(s.chainID), key)
	if err != nil {
		return nil, err
	}
	if spoil != nil {
		return spoil(ctx, key, asked, signed)
	}
	return Hex(signed)
}

// SignTypedData is eth_signTypedData. As web3signer takes it, the data is text, which geth encodes here.
func (e *eth) SignTypedData(from common.Address, text string) (hexutil.Bytes, error) {
	key := e.server.keys[from]
	if key == nil {
		return nil, errors.New("Signing from account not unlocked") // as web3signer writes it
	}
	var data apitypes.TypedData
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		return nil, err
	}
	digest, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return nil, err
	}
	signature, err := crypto.Sign(digest, key)
	if err != nil {
		return nil, err
	}
	signature[crypto.RecoveryIDOffset] += 27
	return signature, nil
}

func (a *Arguments) transaction(chainID *big.Int) *types.Transaction {
	if a.MaxFeePerGas == nil {
		return types.NewTx(&types.LegacyTx{
			Nonce: uint64(*a.Nonce), GasPrice: (*big.Int)(a.GasPrice), Gas: uint64(*a.Gas), To: a.To, Value: (*big.Int)(a.Value), Data: a.Data,
		})
	}
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: uint64(*a.Nonce), GasTipCap: (*big.Int)(a.MaxPriorityFeePerGas), GasFeeCap: (*big.Int)(a.MaxFeePerGas),
		Gas: uint64(*a.Gas), To: a.To, Value: (*big.Int)(a.Value), Data: a.Data,
	})
}

// Hex is a transaction's bytes in hex.
func Hex(tx *types.Transaction) (any, error) {
	raw, err := tx.MarshalBinary()
	return hexutil.Bytes(raw), err
}

// HighS is a transaction with the other signature that its signer's key makes as well: with a high s, which Ethereum refuses.
func HighS(tx *types.Transaction) *types.Transaction {
	v, r, s := tx.RawSignatureValues()
	high := new(big.Int).Sub(crypto.S256().Params().N, s)
	other := new(big.Int).Sub(big.NewInt(1), v) // of a typed transaction the recovery id
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(), To: tx.To(),
		Value: tx.Value(), Data: tx.Data(), V: other, R: r, S: high,
	})
}
