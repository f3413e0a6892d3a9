package main

import (
	"errors"
	"fmt"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/signer"
)

// deployerFlags say which account deploys, and grants roles.
type deployerFlags struct {
	DeployerKey      app.Secret `name:"deployer-key" env:"SCORELAY_DEPLOYER_KEY" privatekey:"" placeholder:"KEY" help:"Raw key of the account that deploys, grants the relayer role and pays; for development, and never as an argument."`
	DeployerKeystore string     `name:"deployer-keystore" env:"SCORELAY_DEPLOYER_KEYSTORE" placeholder:"FILE" help:"geth keystore file of that account, or description of a remote signer that has its key."`
	DeployerPassword string     `name:"deployer-password-file" env:"SCORELAY_DEPLOYER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore."`
}

// given tells whether the account is named.
func (f *deployerFlags) given() bool { return f.DeployerKeystore != "" || f.DeployerKey != "" }

// deployer reads the account's key.
func (f *deployerFlags) deployer() (*signer.Key, error) {
	if f.DeployerKeystore != "" {
		keys, err := signer.FromKeystore(f.DeployerKeystore, f.DeployerPassword)
		switch {
		case errors.Is(err, signer.ErrPasswordFile):
			return nil, fmt.Errorf("--deployer-password-file: %w", err)
		case err != nil:
			return nil, fmt.Errorf("--deployer-keystore: %w", err)
		case len(keys) > 1:
			return nil, fmt.Errorf("--deployer-keystore: %s holds %d keys; name the file of one", f.DeployerKeystore, len(keys))
		}
		return keys[0], nil
	}
	if f.DeployerKey == "" {
		return nil, errors.New("set --deployer-keystore with --deployer-password-file or, for development, SCORELAY_DEPLOYER_KEY")
	}
	key, err := signer.FromHex(f.DeployerKey.Reveal(), commandLog())
	if err != nil {
		return nil, fmt.Errorf("SCORELAY_DEPLOYER_KEY: %w", err)
	}
	return key, nil
}
