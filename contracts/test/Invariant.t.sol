// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Does anything anybody may do to a registry, good and bad, in any order. Each step must end as the model
/// foretells, with the very error it foretells; the model then follows the events.
contract Handler is Base {
    /// @dev How often each outcome was met, and each of the registry's answers to direct calls (0: it succeeded).
    mapping(uint8 outcome => uint256) public outcomesSeen;
    mapping(bytes4 selector => mapping(bytes4 err => uint256)) public answersSeen;

    constructor() {
        _deploy();
    }

    // ---------------------------------------------------------------------------------------------------- steps

    function createProject(uint256 chance) external {
        seed = chance;
        Creation memory c;
        c.id = _project();
        c.name = "project";
        c.actions = new IScoreRegistry.Action[](1 + _pick(3));
        for (uint256 i; i < c.actions.length; ++i) {
            c.actions[i] =
                IScoreRegistry.Action(_name("a", i), uint32(_pick(3) == 0 ? MAX : 1 + _pick(9)), uint8(_pick(2)));
        }
        c.scoreTypes = new string[](1 + _pick(6));
        for (uint256 i; i < c.scoreTypes.length; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        (c.owners, c.updaters) = (new address[](1 + _pick(2)), new address[](_pick(3)));
        uint256 first = _pick(5);
        for (uint256 i; i < c.owners.length; ++i) {
            c.owners[i] = _personAt(first + i);
        }
        for (uint256 i; i < c.updaters.length; ++i) {
            c.updaters[i] = _personAt(first + 1 + i);
        }
        bool exists = index.createdBlock(c.id) != 0;
        _step(RELAYER, _data(c), exists ? IScoreRegistry.ProjectExists.selector : bytes4(0));
    }

    function applyBatch(uint256 chance) external {
        seed = chance;
        Group[] memory groups = new Group[](1 + _pick(4));
        for (uint256 i; i < groups.length; ++i) {
            groups[i] = _someGroup();
        }
        bytes memory outcomes = _apply(groups);
        for (uint256 i; i < outcomes.length; ++i) {
            ++outcomesSeen[uint8(outcomes[i])];
        }
    }

    /// @dev A good batch with a broken end.
    function applyBroken(uint256 chance) external {
        seed = chance;
        bytes memory good = Frames.encode(_someGroup());
        bytes memory data = bytes.concat(good, new bytes(1 + _pick(200)));
        _step(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)), IScoreRegistry.BadFraming.selector);
    }

    function updateScore(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member, bytes32 id) = (_project(), _person(), _id());
        (string memory action, string memory scoreType) = (_name("a", _pick(5)), _name("t", _pick(7)));
        bytes4 want;
        if (index.createdBlock(project) == 0) want = IScoreRegistry.UnknownProject.selector;
        else if (index.roles(project, member) == 0) want = IScoreRegistry.NotMember.selector;
        else if (index.applied(project, id)) want = IScoreRegistry.DuplicateUpdate.selector;
        else if (index.actionIndex(project, action) > 255) want = IScoreRegistry.UnknownAction.selector;
        else if (index.scoreTypeIndex(project, scoreType) > 255) want = IScoreRegistry.UnknownScoreType.selector;
        _step(member, abi.encodeCall(IScoreRegistry.updateScore, (id, project, action, scoreType, _wallet())), want);
    }

    function addAction(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member) = (_project(), _person());
        IScoreRegistry.Action memory a =
            IScoreRegistry.Action(_name("a", _pick(5)), uint32(1 + _pick(MAX)), uint8(_pick(2)));
        bytes4 want = _notOwner(project, member);
        if (want == 0 && index.points(project).length == 200) want = IScoreRegistry.ActionCount.selector;
        _step(member, abi.encodeCall(IScoreRegistry.addAction, (project, a)), want);
    }

    function addScoreType(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member, string memory name) = (_project(), _person(), _name("t", _pick(9)));
        bytes4 want = _notOwner(project, member);
        if (want == 0 && index.scoreTypeIndex(project, name) < 256) want = IScoreRegistry.DuplicateScoreType.selector;
        _step(member, abi.encodeCall(IScoreRegistry.addScoreType, (project, name)), want);
    }

    function changeMember(uint256 chance) external {
        seed = chance;
        (bytes32 project, address caller, address member) = (_project(), _person(), _person());
        (bool owner, bool give) = (_pick(2) == 0, _pick(2) == 0);
        bytes4 want = _notOwner(project, caller);
        bool has = index.roles(project, member) & (owner ? 2 : 1) != 0;
        if (want == 0 && has == give) want = IScoreRegistry.RoleUnchanged.selector;
        if (want == 0 && owner && !give && index.ownerCount(project) == 1) want = IScoreRegistry.LastOwner.selector;
        bytes memory data;
        if (owner && give) data = abi.encodeCall(IScoreRegistry.addOwner, (project, member));
        else if (owner) data = abi.encodeCall(IScoreRegistry.removeOwner, (project, member));
        else if (give) data = abi.encodeCall(IScoreRegistry.addUpdater, (project, member));
        else data = abi.encodeCall(IScoreRegistry.removeUpdater, (project, member));
        _step(caller, data, want);
    }

    // ------------------------------------------------------------------------------------------------ comparing

    /// @dev Everything that can be seen of the registry is what the model has.
    function compare() external view {
        for (uint256 i; i < 3; ++i) {
            _compare(_projectAt(i), people(), wallets());
        }
    }

    /// @dev So are the used ids: all of every word that steps use.
    function compareIds() external view {
        for (uint256 i; i < 3; ++i) {
            for (uint256 k; k < 3; ++k) {
                _compareWord(_projectAt(i), _wordAt(k));
            }
        }
    }

    /// @dev Every project has an owner, and its count is right: only these people can be owners.
    function compareOwners() external view {
        for (uint256 i; i < 3; ++i) {
            IScoreRegistry.ProjectInfo memory info = registry.getProject(_projectAt(i));
            uint8[] memory roles = registry.getRoles(_projectAt(i), people());
            uint256 owners;
            for (uint256 k; k < roles.length; ++k) {
                if (roles[k] & 2 != 0) ++owners;
            }
            require(info.ownerCount == owners, "ownerCount");
            require(info.createdBlock == 0 || owners > 0, "no owner");
        }
    }

    function people() public pure returns (address[] memory all) {
        all = new address[](5);
        for (uint256 i; i < 5; ++i) {
            all[i] = _personAt(i);
        }
    }

    function wallets() public pure returns (address[] memory all) {
        all = new address[](4);
        for (uint256 i; i < 4; ++i) {
            all[i] = _walletAt(i);
        }
    }

    // --------------------------------------------------------------------------------------------------- chance

    function _step(address from, bytes memory data, bytes4 want) private {
        (bool ok, bytes memory returned) = _try(from, data);
        bytes4 got = ok ? bytes4(0) : bytes4(returned);
        require(got == want, "not the answer foretold");
        ++answersSeen[bytes4(data)][got];
    }

    function _notOwner(bytes32 project, address member) private view returns (bytes4) {
        if (index.createdBlock(project) == 0) return IScoreRegistry.UnknownProject.selector;
        if (index.roles(project, member) & 2 == 0) return IScoreRegistry.NotOwner.selector;
        return 0;
    }

    function _someGroup() private returns (Group memory g) {
        g = Group(_project(), _person(), uint8(1 + _pick(2)), new Record[](1 + _pick(8)));
        uint256 word = _pick(3);
        for (uint256 i; i < g.records.length; ++i) {
            bytes32 id = g.kind == Frames.FREE ? _id() : _wordAt(word) | bytes32(_low());
            (uint256 action, uint256 scoreType) =
                (_pick(12) == 0 ? _pick(256) : _pick(4), _pick(12) == 0 ? _pick(256) : _pick(5));
            g.records[i] = Record(id, _wallet(), uint8(action), uint8(scoreType));
        }
    }

    function _project() private returns (bytes32) {
        return _projectAt(_pick(8) == 0 ? 2 : _pick(2)); // the third comes late, so that it is often missed
    }

    function _person() private returns (address) {
        return _personAt(_pick(5));
    }

    function _wallet() private returns (address) {
        return _walletAt(_pick(4));
    }

    function _id() private returns (bytes32) {
        return _wordAt(_pick(3)) | bytes32(_low());
    }

    /// @dev Few enough that ids meet again, and both ends of the word among them.
    function _low() private returns (uint256) {
        return _pick(2) == 0 ? _pick(20) : 255 - _pick(20);
    }

    function _projectAt(uint256 i) private pure returns (bytes32) {
        if (i == 0) return bytes32(0);
        return i == 1 ? bytes32(type(uint256).max) : keccak256("project");
    }

    function _personAt(uint256 i) private pure returns (address) {
        return address(uint160(0x101 + i % 5));
    }

    function _walletAt(uint256 i) private pure returns (address) {
        if (i == 0) return address(0);
        return i == 1 ? address(type(uint160).max) : _personAt(i); // members have scores, too
    }

    function _wordAt(uint256 i) private pure returns (bytes32) {
        if (i == 0) return bytes32(0);
        return i == 1 ? bytes32(uint256(1) << 8) : bytes32(type(uint256).max << 8);
    }
}

/// @notice The registry is what a model rebuilt from its events says, whatever was done to it: each id applied at most once,
/// each score the sum of its applied points, nothing changed by what was skipped or refused.
contract InvariantTest {
    Handler private handler;

    function setUp() public {
        handler = new Handler();
        handler.createProject(uint256(keccak256("a project to begin with")));
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_registryIsTheSumOfItsEvents() public view {
        handler.compare();
        handler.compareOwners();
    }

    function afterInvariant() external view {
        handler.compareIds();
    }

    /// @dev The steps are worth something only if they reach everything: every outcome, every answer.
    function test_stepsReachEverything() public {
        for (uint256 i; i < 600; ++i) {
            uint256 chance = uint256(keccak256(abi.encode(i)));
            if (i % 60 == 0) handler.createProject(chance);
            else if (i % 7 == 1) handler.applyBatch(chance);
            else if (i % 7 == 2) handler.applyBroken(chance);
            else if (i % 7 == 3) handler.updateScore(chance);
            else if (i % 7 == 4) handler.addAction(chance);
            else if (i % 7 == 5) handler.addScoreType(chance);
            else handler.changeMember(chance);
        }
        handler.compare();
        handler.compareIds();
        handler.compareOwners();
        for (uint8 outcome; outcome < 6; ++outcome) {
            require(handler.outcomesSeen(outcome) > 0, "an outcome was never met");
        }
        _seen(IScoreRegistry.createProject.selector, 0);
        _seen(IScoreRegistry.createProject.selector, IScoreRegistry.ProjectExists.selector);
        _seen(IScoreRegistry.applyBatch.selector, IScoreRegistry.BadFraming.selector);
        _seen(IScoreRegistry.updateScore.selector, 0);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownProject.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.NotMember.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.DuplicateUpdate.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownAction.selector);
        _seen(IScoreRegistry.updateScore.selector, IScoreRegistry.UnknownScoreType.selector);
        _seen(IScoreRegistry.addAction.selector, 0);
        _seen(IScoreRegistry.addAction.selector, IScoreRegistry.NotOwner.selector);
        _seen(IScoreRegistry.addScoreType.selector, 0);
        _seen(IScoreRegistry.addScoreType.selector, IScoreRegistry.DuplicateScoreType.selector);
        _seen(IScoreRegistry.addOwner.selector, 0);
        _seen(IScoreRegistry.addOwner.selector, IScoreRegistry.RoleUnchanged.selector);
        _seen(IScoreRegistry.removeOwner.selector, 0);
        _seen(IScoreRegistry.removeOwner.selector, IScoreRegistry.LastOwner.selector);
        _seen(IScoreRegistry.addUpdater.selector, 0);
        _seen(IScoreRegistry.removeUpdater.selector, 0);
        _seen(IScoreRegistry.removeUpdater.selector, IScoreRegistry.UnknownProject.selector);
    }

    function _seen(bytes4 selector, bytes4 err) private view {
        require(handler.answersSeen(selector, err) > 0, "an answer was never met");
    }
}
