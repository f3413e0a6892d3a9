// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Edits by signature: one is good for what its owner signed, once, on its contract and chain, until its deadline. What
/// the edits themselves do is what {ProjectTest} says of direct ones: registry and twin have both by the same way.
contract EditsTest is Base {
    bytes32 private constant SECOND = keccak256("second project");
    /// @dev The order of the curve.
    uint256 private constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function setUp() public {
        _deploy();
        vm.warp(1e9);
        Creation memory c = _usual();
        _create(c);
        c.id = SECOND;
        _create(c);
    }

    /// @dev Each operation, by an owner's signature that a stranger brings, and what it is named in the events.
    function test_eachOperation() public {
        _good(_memberEdit("add owner", STRANGER));
        require(index.roles(PROJECT, STRANGER) == 2, "add owner");
        _good(_memberEdit("add updater", STRANGER));
        require(index.roles(PROJECT, STRANGER) == 3, "add updater");
        _good(_memberEdit("remove owner", STRANGER));
        require(index.roles(PROJECT, STRANGER) == 1, "remove owner");
        _good(_memberEdit("remove updater", STRANGER));
        require(index.roles(PROJECT, STRANGER) == 0, "remove updater");
        _good(IScoreRegistry.Edit("add action", address(0), "bonus", 7, 1));
        require(registry.getActions(PROJECT)[10] == -7, "add action");
        require(registry.getActionIndex(PROJECT, "bonus") == 10, "its name");
        _good(IScoreRegistry.Edit("add score type", address(0), "skill", 0, 0));
        require(registry.getScoreTypeIndex(PROJECT, "skill") == 6, "add score type");
        _good(IScoreRegistry.Edit("require signed groups", address(0), "", 0, 0));
        require(registry.getProject(PROJECT).signedOnly, "require signed groups");
        bytes memory unchanged = abi.encodeWithSelector(IScoreRegistry.SignedOnlyUnchanged.selector, PROJECT);
        _bad(_one(IScoreRegistry.Edit("require signed groups", address(0), "", 0, 0)), unchanged);
        _good(IScoreRegistry.Edit("allow unsigned groups", address(0), "", 0, 0));
        require(!registry.getProject(PROJECT).signedOnly, "allow unsigned groups");
        require(registry.getProject(PROJECT).editNonce == 8, "editNonce");
        require(registry.getProject(SECOND).editNonce == 0, "of the other project");
    }

    function test_unknownOperations() public {
        string[5] memory unknown = ["", "Add owner", "add owner ", "addOwner", "remove project"];
        for (uint256 i; i < 5; ++i) {
            IScoreRegistry.Edit memory e = IScoreRegistry.Edit(unknown[i], STRANGER, "name", 1, 0);
            _bad(_one(e), abi.encodeWithSelector(IScoreRegistry.UnknownOperation.selector, unknown[i]));
        }
    }

    /// @dev The edits' own errors are those of the direct calls; one that fails undoes those before it, and uses no nonce.
    function test_allOrNone() public {
        IScoreRegistry.Edit[] memory edits = new IScoreRegistry.Edit[](2);
        edits[0] = _memberEdit("add owner", STRANGER);
        edits[1] = _memberEdit("add owner", BOTH);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.RoleUnchanged.selector, PROJECT, BOTH));
        edits[1] = _memberEdit("add updater", address(0));
        _bad(edits, _only(IScoreRegistry.ZeroMember.selector));
        edits[1] = IScoreRegistry.Edit("add action", address(0), "", 1, 0);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 0, 64));
        edits[1] = IScoreRegistry.Edit("add action", address(0), "a", uint32(MAX + 1), 0);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.PointsOutOfRange.selector, MAX + 1));
        edits[1] = IScoreRegistry.Edit("add action", address(0), "a", 1, 2);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.InvalidDirection.selector, 2));
        edits[1] = IScoreRegistry.Edit("add score type", address(0), "t000", 0, 0);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.DuplicateScoreType.selector, "t000"));
        edits[1] = IScoreRegistry.Edit("allow unsigned groups", address(0), "", 0, 0);
        _bad(edits, abi.encodeWithSelector(IScoreRegistry.SignedOnlyUnchanged.selector, PROJECT));
        require(index.roles(PROJECT, STRANGER) == 0 && registry.getProject(PROJECT).editNonce == 0, "undone");
    }

    /// @dev An owner can put another in its own place, in one signature, and cannot leave the project without one.
    function test_theLastOwnerStays() public {
        _good(_memberEdit("remove owner", BOTH));
        bytes memory last = abi.encodeWithSelector(IScoreRegistry.LastOwner.selector, PROJECT);
        _bad(_one(_memberEdit("remove owner", OWNER)), last);
        IScoreRegistry.Edit[] memory edits = new IScoreRegistry.Edit[](3);
        edits[0] = _memberEdit("remove owner", OWNER);
        edits[1] = _memberEdit("add owner", STRANGER);
        _bad(edits, last);
        (edits[0], edits[1]) = (edits[1], edits[0]);
        edits[2] = _memberEdit("add updater", OWNER); // signed by an owner, even if that is over now
        _ok(OTHER, _signedEdits(1, PROJECT, edits, OWNER, block.timestamp));
        require(index.roles(PROJECT, OWNER) == 1 && index.roles(PROJECT, STRANGER) == 2, "roles");
        _bad(
            _one(_memberEdit("add owner", OWNER)),
            abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, OWNER)
        );
        require(registry.getProject(PROJECT).ownerCount == 1, "ownerCount");
    }

    function test_noneTwice() public {
        IScoreRegistry.Edit[] memory edits = _one(_memberEdit("add owner", STRANGER));
        bytes memory data = _signedEdits(1, PROJECT, edits, OWNER, type(uint256).max);
        _ok(OTHER, data);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.WrongEditNonce.selector, PROJECT, 0, 1));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, STRANGER)));
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.WrongEditNonce.selector, PROJECT, 0, 1));
        // With the next nonce it is not what was signed.
        (bytes32 r, bytes32 vs) = _signature(1, PROJECT, edits, 0, type(uint256).max);
        data = _editsData(PROJECT, edits, OWNER, 1, type(uint256).max, r, vs);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.BadEditSignature.selector, PROJECT, OWNER));
        // Later ones wait their turn.
        (r, vs) = _signature(1, PROJECT, edits, 2, type(uint256).max);
        data = _editsData(PROJECT, edits, OWNER, 2, type(uint256).max, r, vs);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.WrongEditNonce.selector, PROJECT, 2, 1));
        _ok(OTHER, _signedEdits(3, PROJECT, new IScoreRegistry.Edit[](0), BOTH, block.timestamp));
        _ok(OTHER, data);
    }

    /// @dev An empty list revokes an edit that was signed.
    function test_revoked() public {
        bytes memory data = _signedEdits(3, PROJECT, _one(_memberEdit("add owner", STRANGER)), BOTH, type(uint256).max);
        vm.recordLogs();
        _ok(OTHER, _signedEdits(1, PROJECT, new IScoreRegistry.Edit[](0), OWNER, block.timestamp));
        require(vm.getRecordedLogs().length == 0, "an event");
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.WrongEditNonce.selector, PROJECT, 0, 1));
    }

    function testFuzz_deadline(uint64 deadline, uint64 time) public {
        vm.warp(time);
        bytes memory data = _signedEdits(1, PROJECT, _one(_memberEdit("add owner", STRANGER)), OWNER, deadline);
        if (time <= deadline) _ok(OTHER, data);
        else _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.EditExpired.selector, deadline, time));
    }

    function test_theLastSecond() public {
        bytes memory data = _signedEdits(1, PROJECT, _one(_memberEdit("add owner", STRANGER)), OWNER, 1e9 + 5);
        vm.warp(1e9 + 6);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.EditExpired.selector, 1e9 + 5, 1e9 + 6));
        vm.warp(1e9 + 5);
        _ok(OTHER, data);
    }

    /// @dev Updaters, strangers, the admin, relayers and the zero address sign nothing that counts; neither does an owner that
    /// was removed after it signed.
    function test_onlyOwnersSign() public {
        address[5] memory others = [UPDATER, STRANGER, ADMIN, RELAYER, address(0)];
        IScoreRegistry.Edit[] memory edits = _one(_memberEdit("add owner", OTHER));
        for (uint256 i; i < 5; ++i) {
            bytes memory want = abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, others[i]);
            _refused(OWNER, _signedEdits(_key(others[i]), PROJECT, edits, others[i], block.timestamp), want);
            if (others[i] != address(0)) continue;
            _refused(OWNER, _editsData(PROJECT, edits, address(0), 0, block.timestamp, 0, 0), want);
        }
        bytes memory data = _signedEdits(3, PROJECT, edits, BOTH, block.timestamp);
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, BOTH))); // still an updater
        _refused(OWNER, data, abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, BOTH));
    }

    function testFuzz_editsWantAProject(bytes32 id) public {
        vm.assume(id != PROJECT && id != SECOND);
        bytes memory data = _signedEdits(1, id, new IScoreRegistry.Edit[](0), OWNER, 0);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.UnknownProject.selector, id));
    }

    /// @dev Made for another project, contract, chain or version; with another's key; as another kind of message.
    function test_madeForSomethingElse() public {
        IScoreRegistry.Edit[] memory edits = _one(_memberEdit("add owner", STRANGER));
        bytes32 domainType =
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32[5] memory domains = [
            Frames.domain(address(twin)),
            keccak256(abi.encode(domainType, keccak256("Scorelay"), keccak256("1"), block.chainid + 1, registry)),
            keccak256(abi.encode(domainType, keccak256("Scorelay"), keccak256("2"), block.chainid, registry)),
            keccak256(abi.encode(domainType, keccak256("scorelay"), keccak256("1"), block.chainid, registry)),
            bytes32(0)
        ];
        for (uint256 i; i < 5; ++i) {
            _badDigest(1, edits, Frames.editsDigest(domains[i], PROJECT, edits, 0, block.timestamp));
        }
        bytes32 here = Frames.domain(address(registry));
        _badDigest(1, edits, Frames.editsDigest(here, SECOND, edits, 0, block.timestamp));
        _badDigest(1, edits, Frames.editsDigest(here, PROJECT, edits, 1, block.timestamp));
        _badDigest(1, edits, Frames.editsDigest(here, PROJECT, edits, 0, block.timestamp + 1));
        _badDigest(1, edits, Frames.editsDigest(here, PROJECT, new IScoreRegistry.Edit[](0), 0, block.timestamp));
        bytes32 good = Frames.editsDigest(here, PROJECT, edits, 0, block.timestamp);
        _badDigest(3, edits, good); // an owner's, but not the one who is named
        Group memory g = _group(PROJECT, OWNER, Frames.WORD, Record(0, STRANGER, 0, 0));
        _badDigest(1, edits, Frames.digest(here, g));
        _badDigest(1, edits, keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", good)));
        (bytes32 r, bytes32 vs) = vm.signCompact(1, good);
        _ok(OTHER, _editsData(PROJECT, edits, OWNER, 0, block.timestamp, r, vs));
    }

    /// @dev A fork's chain is another chain, from its first block on.
    function test_afterAFork() public {
        bytes memory data = _signedEdits(1, PROJECT, _one(_memberEdit("add owner", STRANGER)), OWNER, block.timestamp);
        vm.chainId(block.chainid + 1);
        _refused(OTHER, data, abi.encodeWithSelector(IScoreRegistry.BadEditSignature.selector, PROJECT, OWNER));
        vm.chainId(block.chainid - 1);
        _ok(OTHER, data);
    }

    /// @dev What recovers to no account or to another one. (EIP-2098 has no room for the other form of a signature, with a high s.)
    function test_noSignature() public {
        IScoreRegistry.Edit[] memory edits = _one(_memberEdit("add owner", STRANGER));
        (bytes32 r, bytes32 vs) = _signature(1, PROJECT, edits, 0, block.timestamp);
        _badSignature(edits, r, vs ^ bytes32(uint256(1) << 255), block.timestamp);
        _badSignature(edits, vs, r, block.timestamp);
        _badSignature(edits, 0, vs, block.timestamp);
        _badSignature(edits, r, 0, block.timestamp);
        _badSignature(edits, bytes32(ORDER), vs, block.timestamp);
        _badSignature(edits, r, bytes32(ORDER / 2 + 1), block.timestamp);
        _badSignature(edits, bytes32(type(uint256).max), bytes32(type(uint256).max), block.timestamp);
        _ok(OTHER, _editsData(PROJECT, edits, OWNER, 0, block.timestamp, r, vs));
    }

    /// @dev A call with anything else than what was signed changes nothing of the project.
    /// forge-config: default.fuzz.runs = 384
    /// forge-config: coverage.fuzz.runs = 48
    /// forge-config: mutants.fuzz.runs = 96
    function testFuzz_anyChangeSpoilsIt(uint256 chance) public {
        seed = chance;
        IScoreRegistry.Edit[] memory edits = new IScoreRegistry.Edit[](1 + _pick(3));
        address[] memory people = _people();
        for (uint256 i; i < edits.length; ++i) {
            edits[i] = _someEdit(people);
        }
        bytes memory data = _signedEdits(3, PROJECT, edits, BOTH, block.timestamp);
        IScoreRegistry.Edit[] memory spoilt = abi.decode(abi.encode(edits), (IScoreRegistry.Edit[]));
        IScoreRegistry.Edit memory e = spoilt[_pick(spoilt.length)];
        uint256 way = _pick(9);
        if (way == 0) {
            e.operation = string.concat(e.operation, " ");
        } else if (way == 1) {
            e.member = address(uint160(e.member) ^ uint160(1 << _pick(160)));
        } else if (way == 2) {
            e.name = string.concat(e.name, "x");
        } else if (way == 3) {
            e.points ^= uint32(1 << _pick(32));
        } else if (way == 4) {
            e.direction ^= uint8(1 << _pick(8));
        } else if (way == 5) {
            (spoilt = new IScoreRegistry.Edit[](edits.length + 1))[_pick(edits.length + 1)] = e;
        } else if (way == 6) {
            spoilt = new IScoreRegistry.Edit[](edits.length - 1);
        } else if (way == 8) {
            // Another order; a list of one has none.
            (spoilt[0], spoilt[spoilt.length - 1]) = (spoilt[spoilt.length - 1], spoilt[0]);
            if (keccak256(abi.encode(spoilt)) == keccak256(abi.encode(edits))) e.direction ^= 0x02;
        }
        uint256 deadline = way == 7 ? block.timestamp + 1 + _pick(99) : block.timestamp;
        (bytes32 r, bytes32 vs) = _signature(3, PROJECT, edits, 0, block.timestamp);
        _refused(
            OTHER,
            _editsData(PROJECT, spoilt, BOTH, 0, deadline, r, vs),
            abi.encodeWithSelector(IScoreRegistry.BadEditSignature.selector, PROJECT, BOTH)
        );
        _try(OTHER, data); // as the twin has it
        _compare(PROJECT, people, people);
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _good(IScoreRegistry.Edit memory e) private {
        _ok(OTHER, _signedEdits(1, PROJECT, _one(e), OWNER, block.timestamp));
        _compare(PROJECT, _people(), _people());
    }

    function _bad(IScoreRegistry.Edit[] memory edits, bytes memory want) private {
        _refused(OTHER, _signedEdits(1, PROJECT, edits, OWNER, block.timestamp), want);
        _compare(PROJECT, _people(), _people());
    }

    function _badDigest(uint256 key, IScoreRegistry.Edit[] memory edits, bytes32 digest) private {
        (bytes32 r, bytes32 vs) = vm.signCompact(key, digest);
        _badSignature(edits, r, vs, block.timestamp);
    }

    function _badSignature(IScoreRegistry.Edit[] memory edits, bytes32 r, bytes32 vs, uint256 deadline) private {
        _refused(
            OTHER,
            _editsData(PROJECT, edits, OWNER, 0, deadline, r, vs),
            abi.encodeWithSelector(IScoreRegistry.BadEditSignature.selector, PROJECT, OWNER)
        );
    }

    function _signature(
        uint256 key,
        bytes32 project,
        IScoreRegistry.Edit[] memory edits,
        uint256 nonce,
        uint256 deadline
    ) private view returns (bytes32, bytes32) {
        bytes32 here = Frames.domain(address(registry));
        return vm.signCompact(key, Frames.editsDigest(here, project, edits, nonce, deadline));
    }

    function _one(IScoreRegistry.Edit memory e) private pure returns (IScoreRegistry.Edit[] memory edits) {
        edits = new IScoreRegistry.Edit[](1);
        edits[0] = e;
    }

    function _people() private pure returns (address[] memory all) {
        all = new address[](5);
        (all[0], all[1], all[2], all[3], all[4]) = (OWNER, UPDATER, BOTH, STRANGER, OTHER);
    }
}
