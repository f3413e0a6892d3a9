// Package remotesigner is a server for tests with web3signer's eth_signTransaction and eth_signTypedData. It can
// misbehave.
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

// Server rejects incomplete transactions and unknown accounts. Like web3signer, it signs for its own chain id, even
// if the request has another. It is safe for concurrent use.
type Server struct {
	*httptest.Server // call Start or StartTLS

	chainID *big.Int
	keys    map[common.Address]*ecdsa.PrivateKey

	mu     sync.Mutex
	spoil  Spoil
	asked  int
	header http.Header
}

// Spoil replaces the true response by a hex string, an object or an error. ctx ends when the caller disconnects.
type Spoil func(ctx context.Context, key *ecdsa.PrivateKey, asked *types.Transaction, signed *types.Transaction) (any, error)

func New(chainID uint64, keys ...*ecdsa.PrivateKey) *Server {
	s := &Server{chainID: new(big.Int).SetUint64(chainID), keys: map[common.Address]*ecdsa.PrivateKey{}}
	for _, key := range keys {
		s.keys[crypto.PubkeyToAddress(key.PublicKey)] = key
	}
	service := rpc.NewServer()
	if err := service.RegisterName("eth", &eth{s}); err != nil {
		panic(err) // impossible: eth has methods
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.header = r.Header.Clone()
		s.mu.Unlock()
		service.ServeHTTP(w, r)
	}))
	return s
}

// Spoil replaces responses from now on; nil restores the true ones.
func (s *Server) Spoil(spoil Spoil) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = spoil
}

// Asked returns the number of transactions to sign so far, and the last request's header.
func (s *Server) Asked() (int, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.header
}

type eth struct{ server *Server }

// Arguments are those that web3signer reads.
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

func (e *eth) SignTransaction(ctx context.Context, a Arguments) (any, error) {
	s := e.server
	s.mu.Lock()
	s.asked++
	spoil := s.spoil
	s.mu.Unlock()
	key := s.keys[a.From]
	switch {
	case key == nil:
		return nil, errors.New("Signing from account not unlocked") // web3signer's text
	case a.Nonce == nil || a.Gas == nil || a.Value == nil || a.ChainID == nil:
		return nil, fmt.Errorf("Invalid params: %+v", a) // web3signer's text
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

// SignTypedData takes the data as text, like web3signer.
func (e *eth) SignTypedData(from common.Address, text string) (hexutil.Bytes, error) {
	key := e.server.keys[from]
	if key == nil {
		return nil, errors.New("Signing from account not unlocked") // web3signer's text
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

func Hex(tx *types.Transaction) (any, error) {
	raw, err := tx.MarshalBinary()
	return hexutil.Bytes(raw), err
}

// HighS replaces the signature by the signer's other valid one, with a high s, which Ethereum rejects.
func HighS(tx *types.Transaction) *types.Transaction {
	v, r, s := tx.RawSignatureValues()
	high := new(big.Int).Sub(crypto.S256().Params().N, s)
	other := new(big.Int).Sub(big.NewInt(1), v) // recovery id of a typed transaction
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(), To: tx.To(),
		Value: tx.Value(), Data: tx.Data(), V: other, R: r, S: high,
	})
}
