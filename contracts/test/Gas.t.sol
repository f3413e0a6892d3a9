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

    function setUp() public {
        _deploy();
        _send(RELAYER, _data(_usual()));
    }

    // --------------------------------------------------------------------------------------------------- batches

    function test_batchesOfConsecutiveIds() public {
        uint256[4] memory sizes = [uint256(1), 10, 100, 256];
        string[4] memory names = ["1", "10", "100", "256"];
        for (uint256 i; i < 4; ++i) {
            _batch(_updates(Frames.WORD, i << 128, sizes[i], i << 20));
            _snapshot("batch, consecutive ids, fresh wallets: ", names[i]);
            _batch(_updates(Frames.WORD, i << 128 | 1 << 64, sizes[i], i << 20));
            _snapshot("batch, consecutive ids, existing wallets: ", names[i]);
            _batch(_signed(_updates(Frames.WORD, i << 128 | 2 << 64, sizes[i], i << 20)));
            _snapshot("batch, consecutive ids, existing wallets, signed: ", names[i]);
        }
    }

    function test_batchesOfRandomIds() public {
        uint256[4] memory sizes = [uint256(1), 10, 100, 300];
        string[4] memory names = ["1", "10", "100", "300"];
        for (uint256 i; i < 4; ++i) {
            _batch(_updates(Frames.FREE, i << 128, sizes[i], i << 20));
            _snapshot("batch, random ids, fresh wallets: ", names[i]);
            _batch(_updates(Frames.FREE, i << 128 | 1 << 64, sizes[i], i << 20));
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
        g = _updates(Frames.WORD, 1 << 64, 100, 0);
        for (uint256 i; i < 100; ++i) {
            g.records[i].action = 10;
        }
        _batch(_group(PROJECT, UPDATER, g.kind, g.records, 0));
        _snapshot("batch, consecutive ids, unknown action: ", "100");
    }

    // ------------------------------------------------------------------------------------------------- promises

    function test_promisedConsecutive() public {
        _promise("consecutive ids, fresh wallets, N=100", 23_800, _stream(1, 100, 1, false));
        _promise("consecutive ids, existing wallets, N=100", 6_600, _stream(2, 100, 1, false));
        _promise("consecutive ids, existing wallets, signed, N=100", 6_800, _stream(3, 100, 1, true));
        _stream(4, 100, 10, false);
        _promise("consecutive ids, each wallet ten times, N=100", 2_250, _stream(5, 100, 10, false));
    }

    function test_promisedConsecutiveBig() public {
        _promise("consecutive ids, fresh wallets, N=500", 23_450, _stream(1, 500, 1, false));
        _promise("consecutive ids, existing wallets, N=500", 6_250, _stream(2, 500, 1, false));
        _promise("consecutive ids, existing wallets, signed, N=500", 6_350, _stream(3, 500, 1, true));
        _stream(4, 500, 10, false);
        _promise("consecutive ids, each wallet ten times, N=500", 1_900, _stream(5, 500, 10, false));
    }

    function test_promisedRandom() public {
        _batch(_updates(Frames.FREE, 1, 500, 0));
        _promise("random ids, existing wallets, N=100", 29_500, _batch(_updates(Frames.FREE, 2, 100, 0)) / 100);
        _promise("random ids, existing wallets, N=500", 29_100, _batch(_updates(Frames.FREE, 3, 500, 0)) / 500);
    }

    /// @dev Five projects with five signers each, four updates of each signer's stream.
    function test_promisedManyGroups() public {
        Group[] memory groups = new Group[](25);
        address[5] memory signers = [OWNER, UPDATER, BOTH, STRANGER, OTHER];
        uint256 gas;
        for (uint256 round; round < 2; ++round) {
            for (uint256 i; i < 25; ++i) {
                groups[i] = _updates(Frames.WORD, i << 64 | round * 4, 4, i * 4);
                (groups[i].project, groups[i].signer) = (bytes32(1 + i / 5), signers[i % 5]);
                if (round > 0 || i % 5 > 0) continue;
                Creation memory c = _usual();
                c.id = bytes32(1 + i / 5);
                c.owners = new address[](5);
                for (uint256 k; k < 5; ++k) {
                    c.owners[k] = signers[k];
                }
                _send(RELAYER, _data(c));
            }
            gas = _send(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (Frames.encode(groups, 0))));
        }
        _promise("consecutive ids, existing wallets, 25 groups, N=100", 10_000, gas / 100);
    }

    function _promise(string memory name, uint256 most, uint256 gas) private {
        require(gas <= most, "dearer than promised");
        vm.snapshotValue("ScoreRegistry", string.concat("per update, ", name), gas);
    }

    /// @dev 2,500 consecutive ids in batches of n, as a stream of updates is sent: a group for each word.
    /// @return gas Per update.
    function _stream(uint256 stream, uint256 n, uint256 repeat, bool signed) private returns (uint256 gas) {
        for (uint256 first; first < 2500; first += n) {
            Group[] memory groups = new Group[]((first % 256 + n + 255) / 256);
            uint256 next = first;
            for (uint256 i; i < groups.length; ++i) {
                uint256 end = (next / 256 + 1) * 256;
                if (end > first + n) end = first + n;
                groups[i] = _part(stream << 64 | next, end - next, first << 20 | (next - first), repeat);
                if (signed) _signed(groups[i]);
                next = end;
            }
            gas += _send(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (Frames.encode(groups, 0))));
        }
        return gas / 2500;
    }

    /// @dev n updates of wallets from the given one on, `repeat` times each.
    function _part(uint256 id, uint256 n, uint256 wallet, uint256 repeat) private pure returns (Group memory) {
        Record[] memory records = new Record[](n);
        for (uint256 i; i < n; ++i) {
            records[i] = Record(bytes32(id + i), _wallet((wallet + i) / repeat), uint8((id + i) % 10), 0);
        }
        return _group(PROJECT, UPDATER, repeat == 1 ? Frames.WORD : Frames.RUNS, records, 0);
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
        _send(OWNER, abi.encodeCall(IScoreRegistry.setSignedOnly, (PROJECT, true)));
        _snapshot("set", "SignedOnly");
    }

    function test_signedEdits() public {
        IScoreRegistry.Edit[] memory edits = new IScoreRegistry.Edit[](1);
        edits[0] = _memberEdit("add updater", STRANGER);
        _send(OTHER, _signedEdits(1, PROJECT, edits, OWNER, block.timestamp));
        _snapshot("editBySignature, ", "the project's first: an updater");
        edits[0] = IScoreRegistry.Edit("add action", address(0), "new", 1, 0);
        _send(OTHER, _signedEdits(1, PROJECT, edits, OWNER, block.timestamp));
        _snapshot("editBySignature, ", "an action");
        edits = new IScoreRegistry.Edit[](2);
        (edits[0], edits[1]) = (_memberEdit("add owner", OTHER), _memberEdit("remove owner", OWNER));
        _send(OTHER, _signedEdits(1, PROJECT, edits, OWNER, block.timestamp));
        _snapshot("editBySignature, ", "an owner for another");
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
    function _updates(uint8 kind, uint256 first, uint256 n, uint256 wallet) private pure returns (Group memory) {
        Record[] memory records = new Record[](n);
        for (uint256 i; i < n; ++i) {
            bytes32 id = kind == Frames.FREE ? keccak256(abi.encode(first, i)) : bytes32(first + i);
            records[i] = Record(id, _wallet(wallet + i), uint8(i % 10), 0);
        }
        return _group(PROJECT, UPDATER, kind, records, 0);
    }

    function _wallet(uint256 i) private pure returns (address) {
        return address(bytes20(keccak256(abi.encode("wallet", i))));
    }

    function _batch(Group memory g) private returns (uint256) {
        return _send(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (Frames.encode(_alone(g), 0))));
    }

    /// @dev With forge's isolation a call is a transaction of its own, and its gas what a transaction pays.
    function _send(address from, bytes memory data) private returns (uint256 gas) {
        vm.prank(from);
        (bool ok,) = address(registry).call(data);
        gas = vm.lastCallGas().gasTotalUsed;
        require(ok, "was refused");
    }

    function _snapshot(string memory kind, string memory what) private {
        vm.snapshotGasLastCall("ScoreRegistry", string.concat(kind, what));
    }
}
