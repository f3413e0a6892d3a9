// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames} from "./Frames.sol";

/// @notice Updates that owners and updaters apply themselves, and the views.
contract UpdateTest is Base {
    address private constant WALLET = address(0xF00D);

    function setUp() public {
        _deploy();
        _create(_usual());
    }

    function testFuzz_updates(uint256 chance) public {
        seed = chance;
        address[] memory wallets = new address[](3);
        (wallets[1], wallets[2]) = (WALLET, address(type(uint160).max));
        address[3] memory members = [OWNER, UPDATER, BOTH];
        for (uint256 i; i < 12; ++i) {
            bytes32 id = bytes32(_pick(2) == 0 ? _pick(12) : type(uint256).max - _pick(12));
            bytes memory data = _update(id, _name("a", _pick(10)), _name("t", _pick(6)), wallets[_pick(3)]);
            address member = members[_pick(3)];
            if (index.applied(PROJECT, id)) {
                _refused(member, data, abi.encodeWithSelector(IScoreRegistry.DuplicateUpdate.selector, PROJECT, id));
            } else {
                _ok(member, data);
                require(index.applied(PROJECT, id), "no event");
            }
        }
        _compare(PROJECT, wallets, wallets);
        _compareWord(PROJECT, 0);
        _compareWord(PROJECT, bytes32(type(uint256).max));
    }

    function testFuzz_onlyMembersUpdate(address caller, bytes32 id) public {
        vm.assume(caller != OWNER && caller != UPDATER && caller != BOTH);
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.NotMember.selector, PROJECT, caller);
        _refused(caller, _update(id, "a000", "t000", WALLET), want);
    }

    function test_refusals() public {
        bytes32 id = keccak256("id");
        bytes memory noProject =
            abi.encodeCall(IScoreRegistry.updateScore, (id, bytes32("none"), "a000", "t000", WALLET));
        _refused(UPDATER, noProject, abi.encodeWithSelector(IScoreRegistry.UnknownProject.selector, bytes32("none")));
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.UnknownAction.selector, "a010");
        _refused(UPDATER, _update(id, "a010", "none", WALLET), want);
        want = abi.encodeWithSelector(IScoreRegistry.UnknownScoreType.selector, "t006");
        _refused(UPDATER, _update(id, "a000", "t006", WALLET), want);
        _refused(
            UPDATER,
            _update(id, "a000", "", WALLET),
            abi.encodeWithSelector(IScoreRegistry.UnknownScoreType.selector, "")
        );
        _ok(UPDATER, _update(id, "a000", "t000", WALLET)); // what was refused did not use up the id
        want = abi.encodeWithSelector(IScoreRegistry.DuplicateUpdate.selector, PROJECT, id);
        _refused(OWNER, _update(id, "none", "none", WALLET), want); // a duplicate before all else about the update
        bytes memory removal = abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, UPDATER));
        _ok(OWNER, removal);
        want = abi.encodeWithSelector(IScoreRegistry.NotMember.selector, PROJECT, UPDATER);
        _refused(UPDATER, _update(id, "none", "none", WALLET), want);
    }

    /// @dev Batches and direct updates use up the same ids, whichever comes first and of whichever kind.
    function testFuzz_idsAreShared(bytes32 id, uint256 way) public {
        bytes memory direct = _update(id, "a000", "t000", WALLET);
        bytes memory duplicate = abi.encodeWithSelector(IScoreRegistry.DuplicateUpdate.selector, PROJECT, id);
        uint8 kind = uint8(1 + way % 3);
        if (way & 256 == 0) {
            _ok(OWNER, direct);
        } else {
            require(_applyOne(kind, id, WALLET, 0, 0) == 0, "first");
            _refused(OWNER, direct, duplicate);
        }
        for (kind = 1; kind <= 3; ++kind) {
            require(_applyOne(kind, id, WALLET, 0, 0) == 1, "second");
        }
        _refused(UPDATER, direct, duplicate);
        require(registry.getScore(PROJECT, WALLET, "t000") == 10, "once");
    }

    /// @dev Ids are a project's own: another project may use the same one.
    function testFuzz_idsOfProjectsAreApart(bytes32 id, bytes32 other) public {
        vm.assume(other != PROJECT);
        Creation memory c = _usual();
        c.id = other;
        _create(c);
        _ok(OWNER, _update(id, "a000", "t000", WALLET));
        bytes memory elsewhere = abi.encodeCall(IScoreRegistry.updateScore, (id, other, "a004", "t000", WALLET));
        _ok(OWNER, elsewhere);
        require(registry.getScore(PROJECT, WALLET, "t000") == 10, "first");
        require(registry.getScore(other, WALLET, "t000") == 14, "second");
    }

    function test_theNameMeansTheNewestAction() public {
        bytes memory add = abi.encodeCall(IScoreRegistry.addAction, (PROJECT, IScoreRegistry.Action("a000", 500, 1)));
        _ok(OWNER, add);
        _ok(UPDATER, _update(bytes32(uint256(1)), "a000", "t000", WALLET));
        require(registry.getScore(PROJECT, WALLET, "t000") == -500, "newest");
        require(_applyOne(Frames.FREE, bytes32(uint256(2)), WALLET, 0, 0) == 0, "the older one is there still");
        require(registry.getScore(PROJECT, WALLET, "t000") == -490, "older");
    }

    // ---------------------------------------------------------------------------------------------------- views

    function testFuzz_viewsOfManyScores(uint256 chance) public {
        seed = chance;
        for (uint256 i; i < 10; ++i) {
            _applyOne(Frames.FREE, bytes32(_pick(1e9)), address(uint160(_pick(4))), _pick(10), _pick(6));
        }
        address[] memory wallets = new address[](30);
        uint8[] memory types = new uint8[](30);
        for (uint256 i; i < 30; ++i) {
            (wallets[i], types[i]) = (address(uint160(_pick(5))), uint8(_pick(256)));
        }
        int64[] memory scores = registry.getScores(PROJECT, wallets, types);
        for (uint256 i; i < 30; ++i) {
            require(scores[i] == index.scores(PROJECT, wallets[i], types[i]), "score");
            if (types[i] < 6) {
                require(scores[i] == registry.getScore(PROJECT, wallets[i], _name("t", types[i])), "one");
            }
        }
    }

    function test_viewsOfNothing() public {
        bytes32 none = bytes32("none");
        address[] memory people = new address[](2);
        require(registry.getProject(none).createdBlock == 0, "project");
        _compare(none, people, people);
        require(registry.getRoles(none, people)[1] == 0, "roles");
        require(registry.getActions(none).length == 0, "actions");
        require(registry.getWalletScores(none, WALLET).length == 0, "scores");
        require(!registry.getUsed(none, new bytes32[](1))[0], "used");
        require(registry.getScores(none, people, new uint8[](2))[1] == 0, "many scores");
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.LengthMismatch.selector, 2, 1);
        _refused(STRANGER, abi.encodeCall(IScoreRegistry.getScores, (none, people, new uint8[](1))), want);
        want = abi.encodeWithSelector(IScoreRegistry.UnknownScoreType.selector, "t006");
        _refused(STRANGER, abi.encodeCall(IScoreRegistry.getScore, (PROJECT, WALLET, "t006")), want);
        _refused(STRANGER, abi.encodeCall(IScoreRegistry.getScoreTypeIndex, (PROJECT, "t006")), want);
        want = abi.encodeWithSelector(IScoreRegistry.UnknownAction.selector, "a010");
        _refused(STRANGER, abi.encodeCall(IScoreRegistry.getActionIndex, (PROJECT, "a010")), want);
    }
}
