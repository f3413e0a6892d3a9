// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Gas of whole transactions, kept in snapshots/ScoreRegistry.json: `npm run snapshot` writes it, `npm test` fails
/// when it is not what is measured. What is promised is also asserted.
contract GasTest is Base {
    /// @dev EIP-7825: no transaction may have more.
    uint256 private constant TRANSACTION_GAS = 16_777_216;
    uint256 private constant CONSECUTIVE = 7_200;
    uint256 private constant RANDOM = 30_500;

    function setUp() public {
        _deploy();
        _send(RELAYER, _data(_usual()));
    }

    // --------------------------------------------------------------------------------------------------- batches

    function test_batchesOfConsecutiveIds() public {
        uint256[4] memory sizes = [uint256(1), 10, 100, 256];
        string[4] memory names = ["1", "10", "100", "256"];
        for (uint256 i; i < 4; ++i) {
            _batch(_updates(Frames.WORD, bytes32(i << 128), sizes[i], i << 20));
            _snapshot("batch, consecutive ids, fresh wallets: ", names[i]);
            _batch(_updates(Frames.WORD, bytes32(i << 128 | 1 << 64), sizes[i], i << 20));
            _snapshot("batch, consecutive ids, existing wallets: ", names[i]);
        }
    }

    function test_batchesOfRandomIds() public {
        uint256[4] memory sizes = [uint256(1), 10, 100, 300];
        string[4] memory names = ["1", "10", "100", "300"];
        for (uint256 i; i < 4; ++i) {
            _batch(_updates(Frames.FREE, keccak256(abi.encode(i)), sizes[i], i << 20));
            _snapshot("batch, random ids, fresh wallets: ", names[i]);
            _batch(_updates(Frames.FREE, keccak256(abi.encode(~i)), sizes[i], i << 20));
            _snapshot("batch, random ids, existing wallets: ", names[i]);
        }
    }

    function test_batchesThatChangeNothing() public {
        Group memory g = _updates(Frames.WORD, 0, 100, 0);
        _batch(g);
        _batch(g);
        _snapshot("batch, consecutive ids, all duplicates: ", "100");
        g.signer = STRANGER;
        _batch(g);
        _snapshot("batch, consecutive ids, no member: ", "100");
        g.project = bytes32("none");
        _batch(g);
        _snapshot("batch, consecutive ids, no project: ", "100");
        g = _updates(Frames.WORD, bytes32(uint256(1) << 64), 100, 0);
        for (uint256 i; i < 100; ++i) {
            g.records[i].action = 6;
        }
        _batch(g);
        _snapshot("batch, consecutive ids, unknown action: ", "100");
    }

    /// @dev Ten full words of consecutive ids in batches of 100, as a stream of updates is sent: two groups where a batch
    /// crosses a word's end.
    function test_promisedPerUpdateConsecutive() public {
        _batch(_updates(Frames.WORD, bytes32(uint256(1) << 128), 100, 0)); // from here on the wallets exist
        uint256 gas;
        for (uint256 first; first < 2560;) {
            uint256 count = 2560 - first < 100 ? 2560 - first : 100;
            uint256 head = 256 - first % 256 < count ? 256 - first % 256 : count;
            bytes memory data = Frames.encode(_updates(Frames.WORD, bytes32(first), head, 0));
            if (head < count) {
                data =
                    bytes.concat(data, Frames.encode(_updates(Frames.WORD, bytes32(first + head), count - head, head)));
            }
            _send(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
            gas += vm.lastCallGas().gasTotalUsed;
            first += count;
        }
        require(gas / 2560 <= CONSECUTIVE, "dearer than promised");
        vm.snapshotValue("ScoreRegistry", "per update, N=100, consecutive ids, existing wallets", gas / 2560);
    }

    function test_promisedPerUpdateRandom() public {
        _batch(_updates(Frames.FREE, keccak256("first"), 100, 0));
        _batch(_updates(Frames.FREE, keccak256("second"), 100, 0));
        uint256 gas = vm.lastCallGas().gasTotalUsed;
        require(gas / 100 <= RANDOM, "dearer than promised");
        vm.snapshotValue("ScoreRegistry", "per update, N=100, random ids, existing wallets", gas / 100);
    }

    // ----------------------------------------------------------------------------------------- everything else

    function test_theLargestCreationFitsATransaction() public {
        Creation memory c;
        c.id = keccak256("largest");
        c.name = _long("n", 128);
        c.actions = new IScoreRegistry.Action[](200);
        for (uint256 i; i < 200; ++i) {
            c.actions[i] = IScoreRegistry.Action(_long(_name("a", i), 64), uint32(MAX), 1);
        }
        c.scoreTypes = new string[](64);
        for (uint256 i; i < 64; ++i) {
            c.scoreTypes[i] = _long(_name("t", i), 64);
        }
        // 50 owners and 50 updaters: a member of both lists would need one slot less.
        (c.owners, c.updaters) = (new address[](50), new address[](50));
        for (uint256 i; i < 100; ++i) {
            address member = address(bytes20(keccak256(abi.encode(i))));
            if (i < 50) c.owners[i] = member;
            else c.updaters[i - 50] = member;
        }
        _send(RELAYER, _data(c));
        require(vm.lastCallGas().gasTotalUsed < TRANSACTION_GAS, "does not fit");
        _snapshot("createProject, ", "largest");
    }

    function test_creations() public {
        Creation memory c = _usual();
        c.id = keccak256("usual");
        _send(RELAYER, _data(c));
        _snapshot("createProject, ", "usual");
        c.id = keccak256("small");
        c.actions = new IScoreRegistry.Action[](1);
        c.actions[0] = IScoreRegistry.Action("a", 1, 0);
        c.scoreTypes = new string[](1);
        c.scoreTypes[0] = "reputation";
        c.owners = new address[](1);
        c.owners[0] = OWNER;
        c.updaters = new address[](0);
        _send(RELAYER, _data(c));
        _snapshot("createProject, ", "smallest");
    }

    function test_edits() public {
        _send(OWNER, abi.encodeCall(IScoreRegistry.addAction, (PROJECT, IScoreRegistry.Action("new", 1, 0))));
        _snapshot("add", "Action");
        _send(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "new")));
        _snapshot("add", "ScoreType");
        _send(OWNER, abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, STRANGER)));
        _snapshot("add", "Owner");
        _send(OWNER, abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, STRANGER)));
        _snapshot("remove", "Owner");
        _send(OWNER, abi.encodeCall(IScoreRegistry.addUpdater, (PROJECT, STRANGER)));
        _snapshot("add", "Updater");
        _send(OWNER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, STRANGER)));
        _snapshot("remove", "Updater");
    }

    function test_directUpdates() public {
        _send(UPDATER, _update(bytes32(uint256(1)), "a000", "t000", STRANGER));
        _snapshot("updateScore, ", "first of a word, fresh wallet");
        _send(UPDATER, _update(bytes32(uint256(2)), "a000", "t000", STRANGER));
        _snapshot("updateScore, ", "consecutive id, existing wallet");
        _send(UPDATER, _update(keccak256("id"), "a000", "t000", STRANGER));
        _snapshot("updateScore, ", "random id, existing wallet");
    }

    // -------------------------------------------------------------------------------------------------- helpers

    /// @dev Updates of n wallets from the given one on; ids that follow each other, or random ones.
    function _updates(uint8 kind, bytes32 first, uint256 n, uint256 wallet) private pure returns (Group memory g) {
        g = Group(PROJECT, UPDATER, kind, new Record[](n));
        for (uint256 i; i < n; ++i) {
            g.records[i] = Record({
                id: kind == Frames.WORD ? bytes32(uint256(first) + i) : keccak256(abi.encode(first, i)),
                target: address(bytes20(keccak256(abi.encode("wallet", wallet + i)))),
                action: uint8(i % 6),
                scoreType: 0
            });
        }
    }

    function _batch(Group memory g) private {
        _send(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (Frames.encode(g))));
    }

    /// @dev With forge's isolation a call is a transaction of its own, and its gas what a transaction pays.
    function _send(address from, bytes memory data) private {
        vm.prank(from);
        (bool ok,) = address(registry).call(data);
        require(ok, "was refused");
    }

    function _snapshot(string memory kind, string memory what) private {
        vm.snapshotGasLastCall("ScoreRegistry", string.concat(kind, what));
    }
}
