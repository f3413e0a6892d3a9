// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Vm} from "./Vm.sol";
import {Frames, Group, Record} from "./Frames.sol";
import {Index} from "./Index.sol";

/// @notice All that ScoreRegistry answers to. The tests deploy the committed artifact, the very bytes that operators
/// deploy, so its source is compiled once, by build.mjs, and the tests are compiled without the slow optimizer.
interface IRegistry is IScoreRegistry, IERC165, IAccessControlDefaultAdminRules {
    function RELAYER_ROLE() external view returns (bytes32);
    function DEFAULT_ADMIN_ROLE() external view returns (bytes32);
}

/// @notice A registry, a project in it, and the model beside them.
abstract contract Base {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint48 internal constant DELAY = 3 days;
    address internal constant ADMIN = address(0xAD);
    address internal constant RELAYER = address(0xE1);
    address internal constant OWNER = address(0x01);
    address internal constant UPDATER = address(0x02);
    address internal constant BOTH = address(0x03);
    address internal constant STRANGER = address(0x04);
    bytes32 internal constant PROJECT = keccak256("project");
    uint256 internal constant MAX = 2 ** 31 - 1;

    IRegistry internal registry;
    Index internal index;
    uint256 internal seed;
    bytes private _code;

    function _deploy() internal {
        address[] memory relayers = new address[](1);
        relayers[0] = RELAYER;
        registry = IRegistry(_deploy(ADMIN, relayers));
        index = new Index();
        vm.roll(1000);
    }

    /// @dev Reverts like the constructor.
    function _deploy(address admin, address[] memory relayers) internal returns (address deployed) {
        if (_code.length == 0) _code = vm.parseJsonBytes(vm.readFile("artifacts/ScoreRegistry.json"), ".bytecode");
        bytes memory data = bytes.concat(_code, abi.encode(DELAY, admin, relayers));
        assembly ("memory-safe") {
            deployed := create(0, add(data, 32), mload(data))
            if iszero(deployed) {
                returndatacopy(mload(0x40), 0, returndatasize())
                revert(mload(0x40), returndatasize())
            }
        }
    }

    // ------------------------------------------------------------------------------------------------- projects

    struct Creation {
        bytes32 id;
        string name;
        IScoreRegistry.Action[] actions;
        address[] owners;
        address[] updaters;
        string[] scoreTypes;
    }

    /// @dev Six actions (the third and fourth at the ends of what points may be) and six score types (in two slots).
    function _usual() internal pure returns (Creation memory c) {
        c.id = PROJECT;
        c.name = "Usual";
        c.actions = new IScoreRegistry.Action[](6);
        for (uint256 i; i < 6; ++i) {
            c.actions[i] = IScoreRegistry.Action(_name("a", i), uint32(10 + i), uint8(i % 2));
        }
        c.actions[2].points = uint32(MAX);
        c.actions[3].points = uint32(MAX);
        c.scoreTypes = new string[](6);
        for (uint256 i; i < 6; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        c.owners = new address[](2);
        (c.owners[0], c.owners[1]) = (OWNER, BOTH);
        c.updaters = new address[](2);
        (c.updaters[0], c.updaters[1]) = (UPDATER, BOTH);
    }

    function _data(Creation memory c) internal pure returns (bytes memory) {
        return
            abi.encodeCall(IScoreRegistry.createProject, (c.id, c.name, c.actions, c.owners, c.updaters, c.scoreTypes));
    }

    function _name(string memory kind, uint256 i) internal pure returns (string memory) {
        return string(
            abi.encodePacked(
                kind, bytes1(uint8(48 + i / 100)), bytes1(uint8(48 + i / 10 % 10)), bytes1(uint8(48 + i % 10))
            )
        );
    }

    /// @dev A name of so many bytes.
    function _long(string memory prefix, uint256 length) internal pure returns (string memory) {
        bytes memory name = new bytes(length);
        for (uint256 i; i < length; ++i) {
            name[i] = i < bytes(prefix).length ? bytes(prefix)[i] : bytes1("x");
        }
        return string(name);
    }

    // ---------------------------------------------------------------------------------------------------- calls

    function _try(address from, bytes memory data) internal returns (bool ok, bytes memory returned) {
        vm.recordLogs();
        vm.prank(from);
        (ok, returned) = address(registry).call(data);
        Vm.Log[] memory logs = vm.getRecordedLogs(); // forge also records what a reverted call emitted
        if (ok) index.fold(logs);
    }

    /// @dev The call must succeed; the model follows.
    function _ok(address from, bytes memory data) internal returns (bytes memory) {
        (bool ok, bytes memory returned) = _try(from, data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(returned, 32), mload(returned))
            }
        }
        return returned;
    }

    /// @dev The call must revert with exactly this error.
    function _refused(address from, bytes memory data, bytes memory want) internal {
        (bool ok, bytes memory returned) = _try(from, data);
        require(!ok, "was not refused");
        require(keccak256(returned) == keccak256(want), "refused with another error");
    }

    function _create(Creation memory c) internal {
        _ok(RELAYER, _data(c));
    }

    /// @dev Applies the batch and checks that the outcomes are those foretold, and that the event says so.
    function _apply(Group[] memory groups) internal returns (bytes memory outcomes) {
        outcomes = index.foretell(groups);
        bytes memory frames = Frames.encode(groups);
        vm.recordLogs();
        vm.prank(RELAYER);
        registry.applyBatch(frames);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        require(logs.length == 1 && logs[0].topics.length == 1, "not one event");
        bytes memory told = keccak256(outcomes) == keccak256(new bytes(outcomes.length)) ? bytes("") : outcomes;
        require(keccak256(logs[0].data) == keccak256(abi.encode(frames, told)), "not the event foretold");
        index.fold(logs);
    }

    function _applyOne(Group memory g) internal returns (bytes memory) {
        Group[] memory groups = new Group[](1);
        groups[0] = g;
        return _apply(groups);
    }

    /// @dev One update of the usual project, in a batch of its own.
    function _applyOne(uint8 kind, bytes32 id, address target, uint256 action, uint256 scoreType)
        internal
        returns (uint8)
    {
        return uint8(_applyOne(_group(PROJECT, UPDATER, kind, Record(id, target, uint8(action), uint8(scoreType))))[0]);
    }

    function _group(bytes32 project, address signer, uint8 kind, Record memory r)
        internal
        pure
        returns (Group memory g)
    {
        g = Group(project, signer, kind, new Record[](1));
        g.records[0] = r;
    }

    function _update(bytes32 id, string memory action, string memory scoreType, address target)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(IScoreRegistry.updateScore, (id, PROJECT, action, scoreType, target));
    }

    // ------------------------------------------------------------------------------------------------ comparing

    /// @dev The registry's views of a project, these people and these wallets are the model's.
    function _compare(bytes32 project, address[] memory people, address[] memory wallets) internal view {
        IScoreRegistry.ProjectInfo memory info = registry.getProject(project);
        int64[] memory points = index.points(project);
        require(info.createdBlock == index.createdBlock(project), "createdBlock");
        require(info.ownerCount == index.ownerCount(project), "ownerCount");
        require(info.actionCount == points.length, "actionCount");
        require(info.scoreTypeCount == index.scoreTypeCount(project), "scoreTypeCount");
        require(keccak256(abi.encode(registry.getActions(project))) == keccak256(abi.encode(points)), "points");
        uint8[] memory roles = registry.getRoles(project, people);
        for (uint256 i; i < people.length; ++i) {
            require(roles[i] == index.roles(project, people[i]), "roles");
        }
        for (uint256 i; i < wallets.length; ++i) {
            int64[] memory scores = registry.getWalletScores(project, wallets[i]);
            require(scores.length == info.scoreTypeCount, "scores");
            for (uint256 k; k < scores.length; ++k) {
                require(scores[k] == index.scores(project, wallets[i], k), "score");
            }
        }
    }

    /// @dev All 256 ids of a word are used or not as the model says.
    function _compareWord(bytes32 project, bytes32 word) internal view {
        bytes32[] memory ids = new bytes32[](256);
        for (uint256 i; i < 256; ++i) {
            ids[i] = bytes32(uint256(word) >> 8 << 8 | i);
        }
        bool[] memory used = registry.getUsed(project, ids);
        for (uint256 i; i < 256; ++i) {
            require(used[i] == index.applied(project, ids[i]), "used");
        }
    }

    // --------------------------------------------------------------------------------------------------- chance

    /// @dev A number below n, from the seed.
    function _pick(uint256 n) internal returns (uint256) {
        seed = uint256(keccak256(abi.encode(seed)));
        return seed % n;
    }

    /// @dev A revert reason, as bytes.
    function _only(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector);
    }
}
