package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/app"
)

type setupCommand struct {
	natsFlags  `embed:""`
	chainFlags `embed:""`

	MonitorURL  string `name:"nats-monitor-url" env:"SCORELAY_NATS_MONITOR_URL" default:"http://127.0.0.1:8222" help:"Monitoring endpoints of the NATS servers, separated by commas, of a cluster each server's, asked whether they sync every write (${default})."`
	AllowUnsafe bool   `name:"allow-unsafe-durability" env:"SCORELAY_ALLOW_UNSAFE_DURABILITY" help:"Set up even when the NATS server cannot be seen to sync every write."`

	deployerFlags `embed:""`

	Admin        string        `name:"admin" env:"SCORELAY_ADMIN" placeholder:"ADDRESS" help:"Account that grants and revokes the relayer role, best a multisig; by default the deployer."`
	AdminDelay   time.Duration `name:"admin-delay" env:"SCORELAY_ADMIN_DELAY" default:"48h" help:"How long a change of the admin must wait (${default})."`
	Relayers     []string      `name:"relayers" env:"SCORELAY_RELAYERS" placeholder:"ADDRESS" help:"Addresses of the first lanes' signers, one lane each, which get the relayer role; by default those of the signer settings below."`
	Keystore     string        `name:"signer-keystore" env:"SCORELAY_SIGNER_KEYSTORE" placeholder:"PATH" help:"geth keystore file, description of a remote signer, or directory of such files, of the lanes' signers."`
	PasswordFile string        `name:"signer-password-file" env:"SCORELAY_SIGNER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore."`
	SignerKeys   []app.Secret  `name:"signer-keys" env:"SCORELAY_SIGNER_KEYS" privatekey:"" placeholder:"KEYS" help:"Raw keys of the lanes' signers; for development, and never as an argument."`
	Replicas     int           `name:"stream-replicas" env:"SCORELAY_STREAM_REPLICAS" help:"Copies of the streams in the NATS cluster: 1, 3 or 5. By default 1, or as many as there are already."`
	MaxBytes     int64         `name:"stream-max-bytes" env:"SCORELAY_STREAM_MAX_BYTES" help:"Bound of the stream of accepted updates, bytes; when it is full, updates are answered 503. By default 8589934592, or what it is already."`
	Contract     string        `name:"contract" env:"SCORELAY_CONTRACT" placeholder:"ADDRESS" help:"Use this ScoreRegistry instead of deploying one."`
	DeployBlock  uint64        `name:"deploy-block" env:"SCORELAY_DEPLOY_BLOCK" help:"Block in which that contract was deployed."`
	APIKeyFile   string        `name:"api-key-file" env:"SCORELAY_API_KEY_FILE" placeholder:"FILE" help:"Also create an API key and write it to this file, unless the file exists."`
}

func (c *setupCommand) Run(s signals) error {
	log := commandLog()
	ctx := s.drain
	deployer, noDeployer := c.deployer()
	plan, noPlan := c.plan()
	if err := errors.Join(noDeployer, noPlan); err != nil {
		return err
	}
	js, closeNATS, err := c.connect(ctx, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	connector := app.Connector{Log: log}
	starting, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	silent, err := connector.Durable(starting, &app.NATS{NATSMonitorURL: c.MonitorURL, AllowUnsafe: c.AllowUnsafe})
	if err != nil {
		return err
	}
	if len(silent) > 0 {
		log.Warn("NATS servers could not be asked whether they sync every write; APIs and relayers ask them, too", "monitors", silent)
	}
	client, err := c.dial(ctx, c.devDir, log)
	if err != nil {
		return err
	}
	defer client.Close()
	chainID, err := connector.ChainID(starting, client)
	if err != nil {
		return err
	}
	d, err := app.Setup(ctx, js, client, deployer.For(chainID), plan, log)
	if err != nil {
		return err
	}
	if err := c.apiKey(ctx, js, log); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(map[string]any{
		"chainId": d.ChainID, "contract": d.Contract, "deployBlock": d.DeployBlock, "lanes": len(plan.Relayers), "relayers": plan.Relayers,
	})
}

func (c *setupCommand) plan() (app.SetupPlan, error) {
	plan := app.SetupPlan{
		AdminDelay: c.AdminDelay, DeployBlock: c.DeployBlock, Replicas: c.Replicas, MaxBytes: c.MaxBytes,
	}
	var err error
	for _, text := range c.Relayers {
		address, bad := parseAddress("--relayers", text)
		err = errors.Join(err, bad)
		plan.Relayers = append(plan.Relayers, address)
	}
	if len(c.Relayers) == 0 {
		settings := app.RelayerSettings{Keystore: c.Keystore, PasswordFile: c.PasswordFile, RawKeys: c.SignerKeys}
		keys, bad := settings.SignerKeys(commandLog())
		err = errors.Join(err, bad)
		for _, key := range keys {
			plan.Relayers = append(plan.Relayers, key.Address())
		}
	}
	if c.Admin != "" {
		address, bad := parseAddress("--admin", c.Admin)
		plan.Admin, err = address, errors.Join(err, bad)
	}
	if c.Contract != "" {
		address, bad := parseAddress("--contract", c.Contract)
		plan.Contract, err = address, errors.Join(err, bad)
		if c.DeployBlock == 0 {
			err = errors.Join(err, errors.New("--contract needs --deploy-block: where reading its events begins"))
		}
	}
	if err != nil {
		return plan, err // the signers may be unreadable rather than missing
	}
	if len(plan.Relayers) == 0 {
		return plan, errors.New("no signer is named: set --relayers, --signer-keystore or SCORELAY_SIGNER_KEYS")
	}
	return plan, nil
}

func parseAddress(flag, text string) (common.Address, error) {
	if !common.IsHexAddress(text) {
		return common.Address{}, fmt.Errorf("%s: %q is not an address", flag, text)
	}
	return common.HexToAddress(text), nil
}
