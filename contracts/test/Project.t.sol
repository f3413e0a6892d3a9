// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Group, Record} from "./Frames.sol";

/// @notice Creations and owners' edits.
contract ProjectTest is Base {
    function setUp() public {
        _deploy();
    }

    // ------------------------------------------------------------------------------------------------ creations

    /// forge-config: default.fuzz.runs = 96
    /// forge-config: coverage.fuzz.runs = 12
    /// forge-config: mutants.fuzz.runs = 24
    function testFuzz_creation(bytes32 id, uint256 chance, uint64 number) public {
        seed = chance;
        vm.roll(1 + number % 1e9);
        Creation memory c = _usual();
        c.id = id;
        c.name = _long("n", 1 + _pick(128));
        c.signedOnly = _pick(2) == 0;
        c.actions = new IScoreRegistry.Action[](1 + _pick(20));
        for (uint256 i; i < c.actions.length; ++i) {
            string memory name = _long(_name("a", i), 4 + _pick(61));
            c.actions[i] = IScoreRegistry.Action(name, uint32(1 + _pick(MAX)), uint8(_pick(2)));
        }
        c.scoreTypes = new string[](1 + _pick(64));
        for (uint256 i; i < c.scoreTypes.length; ++i) {
            c.scoreTypes[i] = _long(_name("t", i), 4 + _pick(61));
        }
        c.owners = new address[](1 + _pick(8));
        c.updaters = new address[](_pick(8));
        for (uint256 i; i < c.owners.length; ++i) {
            c.owners[i] = address(uint160(1 + i));
        }
        for (uint256 i; i < c.updaters.length; ++i) {
            c.updaters[i] = address(uint160(5 + i)); // some are owners, too
        }
        _create(c);

        address[] memory people = new address[](16);
        for (uint256 i; i < 16; ++i) {
            people[i] = address(uint160(i));
        }
        _compare(id, people, people);
        require(registry.getProject(id).createdBlock == block.number, "createdBlock");
        for (uint256 i; i < c.actions.length; ++i) {
            require(registry.getActionIndex(id, c.actions[i].name) == i, "action index");
        }
        for (uint256 i; i < c.scoreTypes.length; ++i) {
            require(registry.getScoreTypeIndex(id, c.scoreTypes[i]) == i, "score type index");
        }
        _refused(RELAYER, _data(c), abi.encodeWithSelector(IScoreRegistry.ProjectExists.selector, id));
    }

    function testFuzz_onlyARelayerCreates(address caller) public {
        vm.assume(caller != RELAYER);
        bytes memory want = abi.encodeWithSelector(
            IAccessControl.AccessControlUnauthorizedAccount.selector, caller, registry.RELAYER_ROLE()
        );
        _refused(caller, _data(_usual()), want);
    }

    function test_creationRefusesNames() public {
        Creation memory c = _usual();
        c.name = "";
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 0, 128));
        c.name = _long("n", 129);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 129, 128));
        c = _usual();
        c.actions[5].name = "";
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 0, 64));
        c.actions[5].name = _long("a", 65);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 65, 64));
        c.actions[5].name = c.actions[0].name;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.DuplicateAction.selector, c.actions[0].name));
        c = _usual();
        c.scoreTypes[5] = "";
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 0, 64));
        c.scoreTypes[5] = _long("t", 65);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 65, 64));
        c.scoreTypes[5] = c.scoreTypes[1];
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.DuplicateScoreType.selector, c.scoreTypes[1]));
    }

    function test_creationRefusesActions() public {
        Creation memory c = _usual();
        c.actions = new IScoreRegistry.Action[](0);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.ActionCount.selector, 0));
        c.actions = _actions(201);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.ActionCount.selector, 201));
        c = _usual();
        c.actions[3].points = 0;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.PointsOutOfRange.selector, 0));
        c.actions[3].points = uint32(MAX + 1);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.PointsOutOfRange.selector, MAX + 1));
        c.actions[3].points = type(uint32).max;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.PointsOutOfRange.selector, type(uint32).max));
        c.actions[3].points = 1;
        c.actions[3].direction = 2;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.InvalidDirection.selector, 2));
    }

    function test_creationRefusesScoreTypesAndMembers() public {
        Creation memory c = _usual();
        c.scoreTypes = new string[](0);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.ScoreTypeCount.selector, 0));
        c.scoreTypes = _scoreTypes(65);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.ScoreTypeCount.selector, 65));
        c = _usual();
        c.owners = new address[](0);
        _refuses(c, _only(IScoreRegistry.NoOwner.selector));
        c.owners = _people(1, 99);
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.TooManyMembers.selector, 101));
        c = _usual();
        c.owners[1] = address(0);
        _refuses(c, _only(IScoreRegistry.ZeroMember.selector));
        c.owners[1] = OWNER;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.DuplicateMember.selector, OWNER));
        c = _usual();
        c.updaters[1] = address(0);
        _refuses(c, _only(IScoreRegistry.ZeroMember.selector));
        c.updaters[1] = UPDATER;
        _refuses(c, abi.encodeWithSelector(IScoreRegistry.DuplicateMember.selector, UPDATER));
    }

    /// @dev What is refused leaves nothing behind: the id is free still.
    function _refuses(Creation memory c, bytes memory want) private {
        _refused(RELAYER, _data(c), want);
        _compare(c.id, _allAccounts(), _allAccounts());
    }

    // ---------------------------------------------------------------------------------------------------- edits

    function test_actionsUpToTheBound() public {
        Creation memory c = _usual();
        c.actions = _actions(199);
        _create(c);
        IScoreRegistry.Action memory again = c.actions[7];
        again.points = 77;
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addAction, (PROJECT, again)));
        require(registry.getActionIndex(PROJECT, again.name) == 199, "the name means the newest");
        require(registry.getActions(PROJECT)[7] != registry.getActions(PROJECT)[199], "the older one stays");
        bytes memory data = abi.encodeCall(IScoreRegistry.addAction, (PROJECT, again));
        _refused(OWNER, data, abi.encodeWithSelector(IScoreRegistry.ActionCount.selector, 201));
        _compare(PROJECT, _allAccounts(), _allAccounts());
    }

    function testFuzz_addAction(uint256 chance, uint32 points, uint8 direction, uint8 length) public {
        seed = chance;
        _create(_usual());
        IScoreRegistry.Action memory a =
            IScoreRegistry.Action(_long(_name("a", _pick(9)), length % 80), points, direction % 4);
        bytes memory data = abi.encodeCall(IScoreRegistry.addAction, (PROJECT, a));
        if (bytes(a.name).length == 0 || bytes(a.name).length > 64) {
            _refused(OWNER, data, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, bytes(a.name).length, 64));
        } else if (points == 0 || points > MAX) {
            _refused(OWNER, data, abi.encodeWithSelector(IScoreRegistry.PointsOutOfRange.selector, points));
        } else if (a.direction > 1) {
            _refused(OWNER, data, abi.encodeWithSelector(IScoreRegistry.InvalidDirection.selector, a.direction));
        } else {
            _ok(OWNER, data);
            require(registry.getActionIndex(PROJECT, a.name) == 10, "index");
        }
        _compare(PROJECT, _allAccounts(), _allAccounts());
    }

    function test_scoreTypesUpToTheBound() public {
        Creation memory c = _usual();
        c.scoreTypes = _scoreTypes(63);
        _create(c);
        bytes memory twice = abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "t062"));
        _refused(OWNER, twice, abi.encodeWithSelector(IScoreRegistry.DuplicateScoreType.selector, "t062"));
        bytes memory empty = abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, ""));
        _refused(OWNER, empty, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 0, 64));
        bytes memory long = abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, _long("t", 65)));
        _refused(OWNER, long, abi.encodeWithSelector(IScoreRegistry.NameLength.selector, 65, 64));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "last")));
        require(registry.getScoreTypeIndex(PROJECT, "last") == 63, "index");
        bytes memory more = abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "more"));
        _refused(OWNER, more, abi.encodeWithSelector(IScoreRegistry.ScoreTypeCount.selector, 65));
        _compare(PROJECT, _allAccounts(), _allAccounts());
    }

    function test_theLastOwnerStays() public {
        _create(_usual());
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, OWNER)));
        bytes memory last = abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, BOTH));
        _refused(BOTH, last, abi.encodeWithSelector(IScoreRegistry.LastOwner.selector, PROJECT));
        _ok(BOTH, abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, UPDATER)));
        _ok(BOTH, last);
        _ok(UPDATER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, BOTH)));
        _compare(PROJECT, _allAccounts(), _allAccounts());
        require(registry.getProject(PROJECT).ownerCount == 1, "one owner");
    }

    // --------------------------------------------------------------------------------------------- signed groups

    /// @dev It holds from the call on, for those who come later, too.
    function testFuzz_signedOnly(bool first, uint256 chance) public {
        seed = chance;
        Creation memory c = _usual();
        c.signedOnly = first;
        _create(c);
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, STRANGER)));
        _onlySigned(first);
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.SignedOnlyUnchanged.selector, PROJECT);
        _refused(OWNER, _signedOnly(first), want);
        _onlySigned(first);
        _ok(_pick(2) == 0 ? OWNER : STRANGER, _signedOnly(!first));
        _onlySigned(!first);
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, UPDATER)));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, BOTH)));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, STRANGER)));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, UPDATER)));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addUpdater, (PROJECT, OTHER)));
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "more")));
        _onlySigned(!first);
        _refused(OWNER, _signedOnly(!first), want);
        _ok(BOTH, _signedOnly(first));
        _onlySigned(first);
    }

    /// @dev The members' unsigned groups apply, or do not; their signed ones and their direct updates always do.
    function _onlySigned(bool want) private {
        address[] memory all = _allAccounts();
        require(registry.getProject(PROJECT).signedOnly == want, "signedOnly");
        uint8[] memory roles = registry.getRoles(PROJECT, all);
        for (uint256 i; i < all.length; ++i) {
            bytes1 member = roles[i] == 0 ? bytes1(0x03) : bytes1(0);
            Group memory g = _group(PROJECT, all[i], uint8(1 + _pick(3)), Record(bytes32(_pick(1e18)), all[i], 0, 5));
            require(_applyOne(g)[0] == (member == 0 && want ? bytes1(0x08) : member), "unsigned");
            g = _group(PROJECT, all[i], uint8(1 + _pick(3)), Record(bytes32(_pick(1e18)), all[i], 0, 5));
            require(_applyOne(_signed(g))[0] == member, "signed");
            bytes memory data = _update(bytes32(_pick(1e18)), "a000", "t005", all[i]);
            if (member == 0) _ok(all[i], data);
            else _refused(all[i], data, abi.encodeWithSelector(IScoreRegistry.NotMember.selector, PROJECT, all[i]));
        }
        _compare(PROJECT, all, all);
    }

    function _signedOnly(bool signedOnly) private pure returns (bytes memory) {
        return abi.encodeCall(IScoreRegistry.setSignedOnly, (PROJECT, signedOnly));
    }

    function _allAccounts() private pure returns (address[] memory all) {
        all = new address[](5);
        (all[0], all[1], all[2], all[3], all[4]) = (OWNER, UPDATER, BOTH, STRANGER, OTHER);
    }

    // --------------------------------------------------------------------------------------------------- members

    function testFuzz_memberChanges(address member, uint8 which) public {
        _create(_usual());
        bytes[4] memory data = _memberEdits(member);
        (uint8 role, bool give) = (which & 1 == 0 ? 2 : 1, which & 2 == 0);
        bytes memory call = data[(which & 1) * 2 + (which >> 1 & 1)];
        uint8 before = index.roles(PROJECT, member);
        if (member == address(0)) {
            _refused(OWNER, call, _only(IScoreRegistry.ZeroMember.selector));
        } else if ((before & role != 0) == give) {
            _refused(OWNER, call, abi.encodeWithSelector(IScoreRegistry.RoleUnchanged.selector, PROJECT, member));
        } else {
            _ok(OWNER, call);
            require(index.roles(PROJECT, member) == before ^ role, "roles");
        }
        address[] memory people = _people(1, 5);
        people[4] = member;
        _compare(PROJECT, people, people);
    }

    function test_memberChangesOfTheUsualProject() public {
        address[4] memory people = [OWNER, UPDATER, BOTH, STRANGER];
        for (uint256 i; i < 16; ++i) {
            _deploy();
            testFuzz_memberChanges(people[i / 4], uint8(i % 4));
        }
    }

    function testFuzz_onlyOwnersEdit(address caller) public {
        vm.assume(caller != OWNER && caller != BOTH);
        _create(_usual());
        bytes[7] memory data = _edits(PROJECT);
        for (uint256 i; i < data.length; ++i) {
            _refused(caller, data[i], abi.encodeWithSelector(IScoreRegistry.NotOwner.selector, PROJECT, caller));
        }
    }

    function test_onlyOwnersEdit() public {
        testFuzz_onlyOwnersEdit(UPDATER);
        _deploy();
        testFuzz_onlyOwnersEdit(ADMIN);
        _deploy();
        testFuzz_onlyOwnersEdit(RELAYER);
    }

    function testFuzz_editsWantAProject(bytes32 id, address caller) public {
        vm.assume(id != PROJECT);
        _create(_usual());
        bytes[7] memory data = _edits(id);
        for (uint256 i; i < data.length; ++i) {
            _refused(caller, data[i], abi.encodeWithSelector(IScoreRegistry.UnknownProject.selector, id));
        }
    }

    function _memberEdits(address member) private pure returns (bytes[4] memory data) {
        data[0] = abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, member));
        data[1] = abi.encodeCall(IScoreRegistry.removeOwner, (PROJECT, member));
        data[2] = abi.encodeCall(IScoreRegistry.addUpdater, (PROJECT, member));
        data[3] = abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, member));
    }

    function _edits(bytes32 id) private pure returns (bytes[7] memory data) {
        data[0] = abi.encodeCall(IScoreRegistry.addAction, (id, IScoreRegistry.Action("new", 1, 0)));
        data[1] = abi.encodeCall(IScoreRegistry.addScoreType, (id, "new"));
        data[2] = abi.encodeCall(IScoreRegistry.addOwner, (id, STRANGER));
        data[3] = abi.encodeCall(IScoreRegistry.removeOwner, (id, OWNER));
        data[4] = abi.encodeCall(IScoreRegistry.addUpdater, (id, STRANGER));
        data[5] = abi.encodeCall(IScoreRegistry.removeUpdater, (id, UPDATER));
        data[6] = abi.encodeCall(IScoreRegistry.setSignedOnly, (id, true));
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _actions(uint256 n) private pure returns (IScoreRegistry.Action[] memory actions) {
        actions = new IScoreRegistry.Action[](n);
        for (uint256 i; i < n; ++i) {
            actions[i] = IScoreRegistry.Action(_name("a", i), uint32(1 + i), uint8(i % 2));
        }
    }

    function _scoreTypes(uint256 n) private pure returns (string[] memory names) {
        names = new string[](n);
        for (uint256 i; i < n; ++i) {
            names[i] = _name("t", i);
        }
    }

    function _people(uint160 first, uint256 n) private pure returns (address[] memory people) {
        people = new address[](n);
        for (uint160 i; i < n; ++i) {
            people[i] = address(first + i);
        }
    }
}
