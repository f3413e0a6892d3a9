package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/signer"
)

type deployerFlags struct {
	DeployerKey      app.Secret `name:"deployer-key" env:"SCORELAY_DEPLOYER_KEY" privatekey:"" placeholder:"KEY" help:"Raw key of the account that deploys, grants the relayer role and pays; for development, and never as an argument."`
	DeployerKeystore string     `name:"deployer-keystore" env:"SCORELAY_DEPLOYER_KEYSTORE" placeholder:"FILE" help:"geth keystore file of that account, or description of a remote signer that has its key."`
	DeployerPassword string     `name:"deployer-password-file" env:"SCORELAY_DEPLOYER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore."`
}

func (f *deployerFlags) given() bool { return f.DeployerKeystore != "" || f.DeployerKey != "" }

func (f *deployerFlags) deployer() (*signer.Key, error) {
	return oneKey("deployer", f.DeployerKey, f.DeployerKeystore, f.DeployerPassword)
}

// oneKey reads an account's key from its keystore flags or, without them, from raw. whose is the account's name in
// flags and variables. A keystore with several keys is an error.
func oneKey(whose string, raw app.Secret, keystore, password string) (*signer.Key, error) {
	variable := "SCORELAY_" + strings.ToUpper(whose) + "_KEY"
	if keystore != "" {
		keys, err := signer.FromKeystore(keystore, password)
		switch {
		case errors.Is(err, signer.ErrPasswordFile):
			return nil, fmt.Errorf("--%s-password-file: %w", whose, err)
		case err != nil:
			return nil, fmt.Errorf("--%s-keystore: %w", whose, err)
		case len(keys) > 1:
			return nil, fmt.Errorf("--%s-keystore: %s holds %d keys; name the file of one", whose, keystore, len(keys))
		}
		return keys[0], nil
	}
	if raw == "" {
		return nil, fmt.Errorf("set --%s-keystore with --%s-password-file or, for development, %s", whose, whose, variable)
	}
	key, err := signer.FromHex(raw.Reveal(), commandLog())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return key, nil
}
