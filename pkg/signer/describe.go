package signer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Default and maximum of Remote.Timeout, short since a lane waits for its signatures.
const (
	defaultTimeout = 5 * time.Second
	mostTimeout    = 10 * time.Second
)

// Remote describes a remote signer. Its JSON file takes the place of a keystore file. Set exactly one of Web3signer
// and AWSKMS.
type Remote struct {
	Address string `json:"address"` // account, 0x and 40 hex digits

	// URL (http:// or https://) of an endpoint with eth_signTransaction. With https://, a client certificate with its
	// key (PEM), a bearer token or both authenticate the relayer.
	Web3signer      string `json:"web3signer"`
	CertificateFile string `json:"certificateFile"`
	KeyFile         string `json:"keyFile"`
	TokenFile       string `json:"tokenFile"`

	AWSKMS string `json:"awsKms"` // ARN of a key or alias

	Timeout string `json:"timeout"` // of one signature, as 5s
}

// describe parses a Remote's file. described is false for any other file, such as a keystore file.
func describe(raw []byte) (key *Key, described bool, err error) {
	var fields map[string]json.RawMessage
	notJSON := json.Unmarshal(raw, &fields)
	if fields["web3signer"] == nil && fields["awsKms"] == nil || notJSON != nil {
		return nil, false, nil //nolint:nilerr // it is another kind of file
	}
	var r Remote
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return nil, true, fmt.Errorf("it describes a remote signer in a way that is not known: %w", err)
	}
	key, err = r.key()
	return key, true, err
}

func (r *Remote) key() (*Key, error) {
	timeout := defaultTimeout
	if r.Timeout != "" {
		var err error
		if timeout, err = time.ParseDuration(r.Timeout); err != nil || timeout <= 0 || timeout > mostTimeout {
			return nil, fmt.Errorf("timeout must be more than 0 and at most %s, as 5s", mostTimeout)
		}
	}
	address := common.HexToAddress(r.Address)
	switch {
	case !common.IsHexAddress(r.Address) || address == (common.Address{}):
		return nil, errors.New("address must be that of the signer's account: 0x and 40 hex digits")
	case (r.Web3signer == "") == (r.AWSKMS == ""):
		return nil, errors.New("set one of web3signer and awsKms")
	case r.AWSKMS != "" && r.CertificateFile+r.KeyFile+r.TokenFile != "":
		return nil, errors.New("certificateFile, keyFile and tokenFile are not for awsKms, whose credentials the AWS SDK finds")
	}
	var service service
	var err error
	if r.AWSKMS != "" {
		service, err = newManaged(r.AWSKMS)
	} else {
		service, err = newEndpoint(&endpointOptions{url: r.Web3signer, certificateFile: r.CertificateFile, keyFile: r.KeyFile, tokenFile: r.TokenFile})
	}
	if err != nil {
		return nil, err
	}
	return &Key{backend: &remote{address: address, timeout: timeout, service: service}, address: address}, nil
}
