// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";

/// @dev What an attacker tried on the layout, signed edits and signed-only projects.
contract EdgesTest is Base {
    function setUp() public {
        _deploy();
    }

    function _big(uint256 actions, uint256 types, bool signedOnly) internal returns (Creation memory c) {
        c = _usual();
        c.actions = new IScoreRegistry.Action[](actions);
        for (uint256 i; i < actions; ++i) {
            c.actions[i] =
                IScoreRegistry.Action(_name("a", i), uint32(i % 3 == 0 ? MAX : i % 3 == 1 ? 1 : 7 + i), uint8(i % 2));
        }
        c.scoreTypes = new string[](types);
        for (uint256 i; i < types; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        c.signedOnly = signedOnly;
        _create(c);
    }

    /// @dev Every action byte 0..255, in every kind, for projects of n actions: 1, 6, 7, 8, 14, 15, 16, 199, 200; the twin agrees.
    function test_everyActionByte() public {
        uint16[9] memory counts = [uint16(1), 6, 7, 8, 14, 15, 16, 199, 200];
        for (uint256 n; n < 9; ++n) {
            _deploy();
            _big(counts[n], n % 2 == 0 ? 1 : 64, n % 3 == 0);
            for (uint8 kind = 1; kind <= 3; ++kind) {
                Record[] memory records = new Record[](256);
                for (uint256 i; i < 256; ++i) {
                    // order: high to low in runs and free, so fields of late slots come first
                    uint256 a = kind == 1 ? i : 255 - i;
                    records[i] = Record(
                        bytes32(uint256(kind) << 8 | i), address(uint160(1 + i / 16)), uint8(a), uint8(i / 64 % 65)
                    );
                }
                Group memory g = _group(PROJECT, UPDATER, kind, records, 0);
                bytes memory outcomes = _applyOne(n % 3 == 0 ? _signed(g) : g);
                if (outcomes.length == 0) outcomes = new bytes(256);
                for (uint256 i; i < 256; ++i) {
                    uint256 a = kind == 1 ? i : 255 - i;
                    if (a >= counts[n]) require(uint8(outcomes[i]) == 4, "an action that is none");
                    else require(uint8(outcomes[i]) == 0 || uint8(outcomes[i]) == 5, "a good action refused");
                }
                _compareWord(PROJECT, bytes32(uint256(kind) << 8));
            }
            address[] memory people = new address[](2);
            (people[0], people[1]) = (OWNER, UPDATER);
            address[] memory wallets = new address[](16);
            for (uint256 i; i < 16; ++i) {
                wallets[i] = address(uint160(1 + i));
            }
            _compare(PROJECT, people, wallets);
        }
    }

    /// @dev Projects one after the other in one batch: the cache of the first's points must not serve the second; unknown in between.
    function test_cacheOfAnotherProject() public {
        _big(200, 64, false);
        Creation memory c = _usual();
        c.id = keccak256("two");
        _create(c);
        Group[] memory groups = new Group[](9);
        bytes32[3] memory ids = [PROJECT, keccak256("none"), keccak256("two")];
        for (uint256 i; i < 9; ++i) {
            Record[] memory r = new Record[](4);
            for (uint256 k; k < 4; ++k) {
                r[k] = Record(bytes32((i + 1) << 8 | k), address(9), uint8([199, 9, 60, 6][k]), 5);
            }
            groups[i] = _group(ids[i % 3], UPDATER, uint8(1 + i / 3), r, 0);
        }
        bytes memory o = _apply(groups);
        for (uint256 i; i < 9; ++i) {
            for (uint256 k; k < 4; ++k) {
                uint8 want = i % 3 == 0 ? 0 : i % 3 == 1 ? 2 : (k == 0 || k == 2) ? 4 : 0;
                require(uint8(o[i * 4 + k]) == want, "outcome");
            }
        }
    }

    /// @dev An owner that removes itself in the middle of a list has signed all of it; the same signature does nothing again.
    function test_selfRemovalAndReplay() public {
        _create(_usual());
        IScoreRegistry.Edit[] memory e = new IScoreRegistry.Edit[](4);
        e[0] = _memberEdit("remove owner", OWNER);
        e[1] = _memberEdit("add owner", STRANGER);
        e[2] = IScoreRegistry.Edit("require signed groups", address(0), "", 0, 0);
        e[3] = IScoreRegistry.Edit("add action", address(0), "x", uint32(MAX), 1);
        bytes memory data = _signedEdits(1, PROJECT, e, OWNER, block.timestamp);
        _ok(STRANGER, data);
        _refused(STRANGER, data, abi.encodeWithSelector(IScoreRegistry.WrongEditNonce.selector, PROJECT, 0, 1));
        // OWNER is none any more; nor may its later signature count.
        IScoreRegistry.Edit[] memory none = new IScoreRegistry.Edit[](0);
        _refused(
            STRANGER,
            _signedEdits(1, PROJECT, none, OWNER, block.timestamp),
            abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, OWNER)
        );
    }

    /// @dev The high-s twin of a signed edit, in all the forms EIP-2098 could be abused for.
    function test_malleated() public {
        _create(_usual());
        IScoreRegistry.Edit[] memory e = new IScoreRegistry.Edit[](1);
        e[0] = _memberEdit("add owner", STRANGER);
        bytes32 digest = Frames.editsDigest(Frames.domain(address(registry)), PROJECT, e, 0, block.timestamp);
        (bytes32 r, bytes32 vs) = vm.signCompact(1, digest);
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        uint256 s = uint256(vs) << 1 >> 1;
        bytes32[3] memory others = [
            vs ^ bytes32(uint256(1) << 255),
            bytes32((order - s) | (uint256(vs) >> 255 << 255)),
            bytes32((order - s) ^ (uint256(1) << 255))
        ];
        for (uint256 i; i < 3; ++i) {
            _refused(
                STRANGER,
                _editsData(PROJECT, e, OWNER, 0, block.timestamp, r, others[i]),
                abi.encodeWithSelector(IScoreRegistry.BadEditSignature.selector, PROJECT, OWNER)
            );
        }
        // address(0) as owner with a signature that recovers to nothing
        _refused(
            STRANGER,
            _editsData(PROJECT, e, address(0), 0, block.timestamp, 0, 0),
            abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, address(0))
        );
    }

    /// @dev Signed-only, all kinds, unsigned and with every flag: nothing applies, ids stay unused; and a runs group cannot slip by SAME flags.
    function testFuzz_signedOnlyNeverBypassed(uint256 entropy) public {
        seed = entropy;
        Creation memory c = _usual();
        c.signedOnly = true;
        _create(c);
        World memory w;
        w.projects = new bytes32[](2);
        (w.projects[0], w.projects[1]) = (PROJECT, keccak256("none"));
        w.signers = new address[](3);
        (w.signers[0], w.signers[1], w.signers[2]) = (OWNER, UPDATER, STRANGER);
        w.wallets = new address[](2);
        (w.wallets[0], w.wallets[1]) = (address(7), address(8));
        w.words = new bytes32[](2);
        w.words[1] = bytes32(type(uint256).max);
        Group[] memory groups = new Group[](6);
        for (uint256 i; i < 6; ++i) {
            groups[i] = _someGroup(w);
        }
        bytes memory o = _apply(groups, entropy);
        uint256 at;
        for (uint256 i; i < 6; ++i) {
            for (uint256 k; k < groups[i].records.length; ++k) {
                uint8 outcome = at < o.length ? uint8(o[at]) : 0;
                ++at;
                if (groups[i].signature.length == 0) {
                    require(outcome == 8 || outcome == 3 || outcome == 2, "unsigned update applied");
                }
            }
        }
    }

    /// @dev Hostile ABI: dirty member, dirty points/direction, edits that overlap, a huge count, offsets that wrap.
    function testFuzz_hostileCalldata(uint256 entropy) public {
        _create(_usual());
        IScoreRegistry.Edit[] memory e = new IScoreRegistry.Edit[](2);
        e[0] = _memberEdit("add owner", STRANGER);
        e[1] = IScoreRegistry.Edit("add action", address(0), "x", 5, 1);
        bytes memory data = _signedEdits(1, PROJECT, e, OWNER, block.timestamp);
        seed = entropy;
        for (uint256 i; i < 3; ++i) {
            uint256 at = _pick(data.length);
            data[at] = bytes1(uint8(_pick(256)));
        }
        uint32 owners = registry.getProject(PROJECT).ownerCount;
        (bool ok,) = address(registry).call(data);
        // A change that decodes to something else must not pass as what the owner signed.
        if (ok) {
            require(
                registry.getProject(PROJECT).ownerCount == owners + 1 && registry.getProject(PROJECT).actionCount == 11,
                "other effects"
            );
        }
    }
}
