package signer_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/signer"
)

const (
	keyARN    = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
	accessKey = "AKIDEXAMPLE"
	secretKey = "hush-wJalrXUtnFEMI/K7MDENG"
)

// kmsServer speaks the wire protocol of AWS KMS, as far as signing takes: JSON 1.1 under Signature Version 4, which it checks.
type kmsServer struct {
	t      *testing.T
	secret *ecdsa.PrivateKey

	mu       sync.Mutex
	targets  []string                                   // of the requests so far
	high     int                                        // signatures with a high s
	answer   func(target string) (status int, body any) // instead of the true one; nil body: the true one
	der      func(hash []byte) []byte                   // instead of a true signature
	public   func() []byte                              // instead of the true public key
	describe map[string]any                             // over what GetPublicKey tells
}

// kmsOf starts a server, and has the SDK find it and its credentials.
func kmsOf(t *testing.T) *kmsServer {
	t.Helper()
	s := &kmsServer{t: t, secret: secret(t)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_KMS": server.URL, "AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": "",
		"AWS_CONFIG_FILE": "/absent", "AWS_SHARED_CREDENTIALS_FILE": "/absent", "AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "us-east-1",
	} {
		t.Setenv(name, value)
	}
	return s
}

func (s *kmsServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	target := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	s.targets = append(s.targets, target)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	status, out := s.result(r, target, body)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

func (s *kmsServer) result(r *http.Request, target string, body []byte) (int, any) {
	refuse := func(kind, format string, args ...any) (int, any) {
		return http.StatusBadRequest, map[string]string{"__type": kind, "message": fmt.Sprintf(format, args...)}
	}
	if why := signedV4(r, body); why != "" {
		return refuse("InvalidSignatureException", "%s", why)
	}
	var in struct{ KeyId, Message, MessageType, SigningAlgorithm string }
	strict := json.NewDecoder(bytes.NewReader(body))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&in); err != nil || r.Method != http.MethodPost || r.URL.Path != "/" || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		return refuse("ValidationException", "malformed: %v", err)
	}
	if in.KeyId != keyARN {
		return refuse("NotFoundException", "no key %q", in.KeyId)
	}
	if s.answer != nil {
		if status, body := s.answer(target); body != nil {
			return status, body
		}
	}
	switch target {
	case "GetPublicKey":
		public := spki(s.secret.PublicKey)
		if s.public != nil {
			public = s.public()
		}
		out := map[string]any{"KeyId": keyARN, "KeySpec": "ECC_SECG_P256K1", "KeyUsage": "SIGN_VERIFY", "PublicKey": public, "SigningAlgorithms": []string{"ECDSA_SHA_256"}}
		for name, value := range s.describe {
			out[name] = value
		}
		return http.StatusOK, out
	case "Sign":
		var hash []byte
		if err := json.Unmarshal([]byte(`"`+in.Message+`"`), &hash); err != nil || len(hash) != 32 || in.MessageType != "DIGEST" || in.SigningAlgorithm != "ECDSA_SHA_256" {
			return refuse("ValidationException", "not a digest to sign: %+v", in)
		}
		return http.StatusOK, map[string]any{"KeyId": keyARN, "Signature": s.signature(hash), "SigningAlgorithm": in.SigningAlgorithm}
	}
	return refuse("UnknownOperationException", "%s", target)
}

// signature is one that KMS could make: with a high s as often as not, here every other time.
func (s *kmsServer) signature(hash []byte) []byte {
	if s.der != nil {
		return s.der(hash)
	}
	raw, err := crypto.Sign(hash, s.secret)
	if err != nil {
		panic(err)
	}
	low := new(big.Int).SetBytes(raw[32:64])
	if s.high++; s.high%2 == 0 {
		low.Sub(crypto.S256().Params().N, low)
	}
	return inDER(new(big.Int).SetBytes(raw[:32]), low)
}

func inDER(r, s *big.Int) []byte {
	der, err := asn1.Marshal(struct{ R, S *big.Int }{r, s})
	if err != nil {
		panic(err)
	}
	return der
}

// spki is a public key as KMS tells it: a SubjectPublicKeyInfo in DER.
func spki(key ecdsa.PublicKey) []byte {
	curve, err := asn1.Marshal(asn1.ObjectIdentifier{1, 3, 132, 0, 10})
	if err != nil {
		panic(err)
	}
	der, err := asn1.Marshal(struct {
		Algorithm pkix.AlgorithmIdentifier
		Point     asn1.BitString
	}{
		pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}, Parameters: asn1.RawValue{FullBytes: curve}},
		asn1.BitString{Bytes: crypto.FromECDSAPub(&key), BitLength: 8 * 65},
	})
	if err != nil {
		panic(err)
	}
	return der
}

// signedV4 says what is wrong with the signature of a request; it makes the signature again with the secret that it knows.
func signedV4(r *http.Request, body []byte) string {
	given := r.Header.Get("Authorization")
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 5*time.Minute {
		return "no time, or an old one"
	}
	_, rest, found := strings.Cut(given, "SignedHeaders=")
	list, _, _ := strings.Cut(rest, ",")
	signed := strings.Split(list, ";")
	if !found || !slices.Contains(signed, "host") || !slices.Contains(signed, "x-amz-target") || !slices.Contains(signed, "x-amz-date") {
		return "headers that matter are not signed"
	}
	again := r.Clone(r.Context())
	again.Header = http.Header{}
	again.URL.Scheme, again.URL.Host = "http", r.Host
	for _, name := range signed {
		if values := r.Header.Values(name); len(values) > 0 {
			again.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	sum := sha256.Sum256(body)
	credentials := aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}
	if err := v4.NewSigner().SignHTTP(r.Context(), credentials, again, hex.EncodeToString(sum[:]), "kms", "eu-west-1", at); err != nil {
		return err.Error()
	}
	if again.Header.Get("Authorization") != given {
		return "it is signed otherwise"
	}
	return ""
}

func kmsSigner(t *testing.T) *signer.Signer {
	t.Helper()
	return remoteSigner(t, map[string]any{"address": devAddress, "awsKms": keyARN, "timeout": "10s"})
}

// TestAWSKMSSigns: requests are signed, for the region of the key; a high s is made low, and the recovery id is found.
func TestAWSKMSSigns(t *testing.T) {
	server := kmsOf(t)
	s := kmsSigner(t)
	require.Empty(t, server.targets, "reading a description asks for nothing")
	for nonce := range uint64(16) {
		requireSigns(t, s, work(nonce))
	}
	legacy := types.NewTx(&types.LegacyTx{Nonce: 4, To: &common.Address{7}, Gas: 21_000, GasPrice: big.NewInt(2), Value: new(big.Int)})
	requireSigns(t, s, legacy)
	for i := range byte(4) { // as an owner's edit of a project
		digest := common.Hash{i}
		signature, err := s.SignTyped(t.Context(), nil, digest)
		require.NoError(t, err)
		public, err := crypto.SigToPub(digest[:], signature)
		require.NoError(t, err)
		require.Equal(t, common.HexToAddress(devAddress), crypto.PubkeyToAddress(*public))
	}
	require.Equal(t, append([]string{"GetPublicKey"}, slices.Repeat([]string{"Sign"}, 21)...), server.targets, "the public key is asked for once")
}

func TestAWSKMSWithTheWrongSecretIsRefused(t *testing.T) {
	kmsOf(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
	_, err := kmsSigner(t).Sign(t.Context(), work(3))
	require.ErrorContains(t, err, "AWS KMS does not tell the public key: ")
	require.ErrorContains(t, err, "InvalidSignatureException")
}

// TestWhatAWSKMSAnswersIsChecked, and what is wrong with a key is said in words that lead to the right one.
func TestWhatAWSKMSAnswersIsChecked(t *testing.T) {
	other, err := crypto.GenerateKey()
	require.NoError(t, err)
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	onP256, err := x509.MarshalPKIXPublicKey(&p256.PublicKey)
	require.NoError(t, err)
	order := crypto.S256().Params().N
	short := spki(secret(t).PublicKey)
	for says, change := range map[string]func(*kmsServer){
		"the key of AWS KMS has the address " + crypto.PubkeyToAddress(other.PublicKey).Hex() + ", and its description says " + devAddress: func(s *kmsServer) {
			s.public = func() []byte { return spki(other.PublicKey) }
		},
		"it is not on the curve secp256k1; make one of the kind ECC_SECG_P256K1": func(s *kmsServer) {
			s.public, s.describe = func() []byte { return onP256 }, map[string]any{"KeySpec": "ECC_NIST_P256"}
		},
		"it is no point of the curve":                       func(s *kmsServer) { s.public = func() []byte { return replaceLast(short) } },
		"it is no public key of an elliptic curve":          func(s *kmsServer) { s.public = func() []byte { return short[:40] } },
		"it must be for SIGN_VERIFY":                        func(s *kmsServer) { s.describe = map[string]any{"KeyUsage": "KEY_AGREEMENT"} },
		"the signature is not of " + devAddress:             func(s *kmsServer) { s.der = signedBy(t, other) },
		"it is no signature of the curve secp256k1 in DER":  func(s *kmsServer) { s.der = func([]byte) []byte { return []byte("garbage") } },
		"refused: it is no signature of the curve":          func(s *kmsServer) { s.der = func([]byte) []byte { return inDER(order, big.NewInt(1)) } },
		"answer is refused: it is no signature":             func(s *kmsServer) { s.der = func([]byte) []byte { return inDER(big.NewInt(1), new(big.Int)) } },
		"the remote signer's answer is refused: it is no s": func(s *kmsServer) { s.der = func(h []byte) []byte { return append(signedBy(t, s.secret)(h), 0) } },
	} {
		t.Run(says, func(t *testing.T) {
			server := kmsOf(t)
			change(server)
			_, err := kmsSigner(t).Sign(t.Context(), work(3))
			require.ErrorIs(t, err, signer.ErrUntrue)
			require.ErrorContains(t, err, says)
		})
	}
}

func signedBy(t *testing.T, key *ecdsa.PrivateKey) func([]byte) []byte {
	return func(hash []byte) []byte {
		raw, err := crypto.Sign(hash, key)
		require.NoError(t, err)
		return inDER(new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:64]))
	}
}

// replaceLast has another last byte: the point is not on the curve any more.
func replaceLast(b []byte) []byte {
	b = slices.Clone(b)
	b[len(b)-1] ^= 1
	return b
}

// TestAWSKMSThatThrottlesIsAskedAgain by the SDK; what is denied is told at once.
func TestAWSKMSThatThrottlesIsAskedAgain(t *testing.T) {
	server := kmsOf(t)
	s := kmsSigner(t)
	throttled := false
	server.answer = func(target string) (int, any) {
		if target == "Sign" && !throttled {
			throttled = true
			return http.StatusBadRequest, map[string]string{"__type": "ThrottlingException", "message": "slow down"}
		}
		return 0, nil
	}
	requireSigns(t, s, work(3))
	require.Equal(t, []string{"GetPublicKey", "Sign", "Sign"}, server.targets)

	server.answer = func(string) (int, any) {
		return http.StatusBadRequest, map[string]string{"__type": "AccessDeniedException", "message": "not authorized to perform: kms:Sign"}
	}
	_, err := s.Sign(t.Context(), work(4))
	require.ErrorContains(t, err, "AWS KMS does not sign: ")
	require.ErrorContains(t, err, "not authorized to perform: kms:Sign")
	require.NotContains(t, err.Error(), "hush")
	require.Len(t, server.targets, 4)
}
