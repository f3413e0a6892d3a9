// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Harness, Update} from "./Harness.sol";

/// @dev Writes snapshots/ScoreRegistry.json, the gas of whole transactions, which `npm test` compares with. The table
/// that the promise of gas per update is made in is measured on geth: pkg/registry/testdata/gas.txt.
contract GasTest is Harness {
    uint256 private constant N = 100;

    function setUp() public {
        deploy();
        create(PROJECT);
    }

    function test_gas_createProject() public {
        create(keccak256("another"));
        vm.snapshotGasLastCall("ScoreRegistry", "createProject: 8 actions, 6 score types, 2 members");
    }

    function test_gas_updateScore() public {
        vm.prank(UPDATER);
        registry.updateScore(bytes32(uint256(1)), PROJECT, "action2", "type0", address(0x1000));
        vm.snapshotGasLastCall("ScoreRegistry", "updateScore: fresh wallet, fresh word");
        vm.prank(UPDATER);
        registry.updateScore(bytes32(uint256(2)), PROJECT, "action2", "type0", address(0x1000));
        vm.snapshotGasLastCall("ScoreRegistry", "updateScore: existing wallet, used word");
    }

    function test_gas_consecutive() public {
        measure(wordGroup(PROJECT, UPDATER, updates(0, false)), "applyBatch: 100 consecutive ids, fresh wallets");
        measure(wordGroup(PROJECT, UPDATER, updates(256, false)), "applyBatch: 100 consecutive ids, existing wallets");
        measure(wordGroup(PROJECT, UPDATER, updates(256, false)), "applyBatch: 100 duplicates");
    }

    function test_gas_random() public {
        measure(freeGroup(PROJECT, UPDATER, updates(0, true)), "applyBatch: 100 random ids, fresh wallets");
        measure(freeGroup(PROJECT, UPDATER, updates(256, true)), "applyBatch: 100 random ids, existing wallets");
        measure(freeGroup(PROJECT, address(9), updates(512, true)), "applyBatch: 100 updates of no member");
    }

    function measure(bytes memory data, string memory name) private {
        vm.prank(RELAYER);
        registry.applyBatch(data);
        vm.snapshotGasLastCall("ScoreRegistry", name);
    }

    function updates(uint256 first, bool random) private pure returns (Update[] memory out) {
        out = new Update[](N);
        for (uint256 i; i < N; ++i) {
            bytes32 id = random ? keccak256(abi.encode(first + i)) : bytes32(first + i);
            // forge-lint: disable-next-line(unsafe-typecast)
            out[i] = Update(id, address(uint160(uint256(keccak256(abi.encode("wallet", i))))), uint8(i % 8), 0);
        }
    }
}
