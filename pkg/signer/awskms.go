package signer

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// managed is an AWS KMS key of spec ECC_SECG_P256K1 and usage SIGN_VERIFY. The SDK finds credentials in the
// environment, or in the role of the pod or machine. They need kms:Sign and kms:GetPublicKey.
type managed struct {
	key arn.ARN

	mu     sync.Mutex
	client *kms.Client
	known  bool // the public key matched the account
}

func newManaged(text string) (*managed, error) {
	key, err := arn.Parse(text)
	if err != nil || key.Service != "kms" || key.Region == "" || !strings.HasPrefix(key.Resource, "key/") && !strings.HasPrefix(key.Resource, "alias/") {
		return nil, errors.New("awsKms must be the ARN of a key or of an alias: arn:aws:kms:REGION:ACCOUNT:key/ID")
	}
	return &managed{key: key}, nil
}

func (m *managed) ask(ctx context.Context, address common.Address, tx *types.Transaction, rules types.Signer) (*types.Transaction, error) {
	signature, err := m.signHash(ctx, address, rules.Hash(tx))
	if err != nil {
		return nil, err
	}
	return tx.WithSignature(rules, signature)
}

// askTyped signs the digest, the only form that KMS accepts.
func (m *managed) askTyped(ctx context.Context, address common.Address, _ []byte, digest common.Hash) ([]byte, error) {
	return m.signHash(ctx, address, digest)
}

// signHash signs 32 bytes. KMS returns DER, possibly with a high s and without the recovery ID; recoverable fixes
// that.
func (m *managed) signHash(ctx context.Context, address common.Address, hash common.Hash) ([]byte, error) {
	client, err := m.open(ctx, address)
	if err != nil {
		return nil, err
	}
	key := m.key.String()
	out, err := client.Sign(ctx, &kms.SignInput{
		KeyId: &key, Message: hash[:], MessageType: kmstypes.MessageTypeDigest, SigningAlgorithm: kmstypes.SigningAlgorithmSpecEcdsaSha256,
	})
	if err != nil {
		return nil, fmt.Errorf("AWS KMS does not sign: %w", brief(err))
	}
	return recoverable(out.Signature, hash, address)
}

// open creates the client on first use. It compares the public key with the account once, so that an error can name
// the key's own account.
func (m *managed) open(ctx context.Context, address common.Address) (*kms.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.client == nil {
		settings, err := config.LoadDefaultConfig(ctx, config.WithRegion(m.key.Region))
		if err != nil {
			return nil, fmt.Errorf("couldn't read the AWS SDK's settings: %w", brief(err))
		}
		m.client = kms.NewFromConfig(settings)
	}
	if m.known {
		return m.client, nil
	}
	key := m.key.String()
	out, err := m.client.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: &key})
	if err != nil {
		return nil, fmt.Errorf("AWS KMS does not tell the public key: %w", brief(err))
	}
	if out.KeyUsage != kmstypes.KeyUsageTypeSignVerify {
		return nil, fmt.Errorf("%w: the key of AWS KMS is for %s; it must be for SIGN_VERIFY", ErrUntrue, out.KeyUsage)
	}
	public, err := parsePublic(out.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("%w: the key of AWS KMS is of the kind %s: %w; make one of the kind ECC_SECG_P256K1", ErrUntrue, out.KeySpec, err)
	}
	if is := crypto.PubkeyToAddress(*public); is != address {
		return nil, fmt.Errorf("%w: the key of AWS KMS has the address %s, and its description says %s", ErrUntrue, is, address)
	}
	m.known = true
	return m.client, nil
}

var (
	oidPublicKey = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSecp256k1 = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
)

// parsePublic decodes a SubjectPublicKeyInfo (DER), since crypto/x509 lacks the curve.
func parsePublic(der []byte) (*ecdsa.PublicKey, error) {
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Point     asn1.BitString
	}
	var curve asn1.ObjectIdentifier
	rest, err := asn1.Unmarshal(der, &info)
	if err != nil || len(rest) > 0 || !info.Algorithm.Algorithm.Equal(oidPublicKey) {
		return nil, errors.New("it is no public key of an elliptic curve")
	}
	if rest, err = asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &curve); err != nil || len(rest) > 0 || !curve.Equal(oidSecp256k1) {
		return nil, errors.New("it is not on the curve secp256k1")
	}
	public, err := crypto.UnmarshalPubkey(info.Point.RightAlign())
	if err != nil {
		return nil, errors.New("it is no point of the curve secp256k1")
	}
	return public, nil
}

// recoverable converts a DER signature into 65 bytes, with a low s and the recovery ID that yields address.
func recoverable(der []byte, hash common.Hash, address common.Address) ([]byte, error) {
	var s struct{ R, S *big.Int }
	order := crypto.S256().Params().N
	rest, err := asn1.Unmarshal(der, &s)
	if err != nil || len(rest) > 0 || s.R.Sign() <= 0 || s.S.Sign() <= 0 || s.R.Cmp(order) >= 0 || s.S.Cmp(order) >= 0 {
		return nil, fmt.Errorf("%w: it is no signature of the curve secp256k1 in DER", ErrUntrue)
	}
	if s.S.Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		s.S.Sub(order, s.S)
	}
	signature := make([]byte, crypto.SignatureLength)
	s.R.FillBytes(signature[:32])
	s.S.FillBytes(signature[32:64])
	for id := range byte(2) { // ids 2 and 3 need r above the order: as likely as guessing the key
		signature[crypto.RecoveryIDOffset] = id
		if public, err := crypto.SigToPub(hash[:], signature); err == nil && crypto.PubkeyToAddress(*public) == address {
			return signature, nil
		}
	}
	return nil, fmt.Errorf("%w: the signature is not of %s", ErrUntrue, address)
}
