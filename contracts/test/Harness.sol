// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {ScoreRegistry} from "../src/ScoreRegistry.sol";

/// @dev What the tests use of forge's cheat codes.
interface Vm {
    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function expectRevert(bytes calldata data) external;
    function assume(bool condition) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);

    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }
}

/// @dev One update of a batch under construction.
struct Update {
    bytes32 id;
    address target;
    uint8 action;
    uint8 scoreType;
}

/// @dev A registry with one project, and the packing of batches.
abstract contract Harness {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    address internal constant ADMIN = address(0xad);
    address internal constant RELAYER = address(0x4e1a);
    address internal constant OWNER = address(0x0e1);
    address internal constant UPDATER = address(0x0bd);
    bytes32 internal constant PROJECT = keccak256("project");

    ScoreRegistry internal registry;

    function deploy() internal {
        address[] memory relayers = new address[](1);
        relayers[0] = RELAYER;
        registry = new ScoreRegistry(2 days, ADMIN, relayers);
    }

    /// @dev Actions 0 … 7: action i adds (even) or subtracts (odd) 1000 + i points. Score types 0 … 5.
    function create(bytes32 projectId) internal {
        IScoreRegistry.Action[] memory actions = new IScoreRegistry.Action[](8);
        for (uint256 i; i < 8; ++i) {
            // forge-lint: disable-next-line(unsafe-typecast)
            actions[i] = IScoreRegistry.Action(label("action", i), uint32(1000 + i), uint8(i % 2));
        }
        string[] memory types = new string[](6);
        for (uint256 i; i < 6; ++i) {
            types[i] = label("type", i);
        }
        vm.prank(RELAYER);
        registry.createProject(projectId, "a project", actions, list(OWNER), list(UPDATER), types);
    }

    function pointsOf(uint256 action) internal pure returns (int64) {
        // forge-lint: disable-next-line(unsafe-typecast)
        int64 points = int64(int256(1000 + action));
        return action % 2 == 0 ? points : -points;
    }

    function label(string memory kind, uint256 i) internal pure returns (string memory) {
        // forge-lint: disable-next-line(unsafe-typecast)
        return string.concat(kind, string(abi.encodePacked(bytes1(uint8(48 + i)))));
    }

    function list(address member) internal pure returns (address[] memory out) {
        out = new address[](1);
        out[0] = member;
    }

    function wordGroup(bytes32 projectId, address signer, Update[] memory updates)
        internal
        pure
        returns (bytes memory out)
    {
        // forge-lint: disable-next-line(unsafe-typecast)
        out = abi.encodePacked(projectId, signer, uint8(1), uint16(updates.length), bytes31(updates[0].id));
        for (uint256 i; i < updates.length; ++i) {
            Update memory u = updates[i];
            // forge-lint: disable-next-line(unsafe-typecast)
            out = abi.encodePacked(out, uint8(uint256(u.id)), u.target, u.action, u.scoreType);
        }
    }

    function freeGroup(bytes32 projectId, address signer, Update[] memory updates)
        internal
        pure
        returns (bytes memory out)
    {
        // forge-lint: disable-next-line(unsafe-typecast)
        out = abi.encodePacked(projectId, signer, uint8(2), uint16(updates.length));
        for (uint256 i; i < updates.length; ++i) {
            Update memory u = updates[i];
            out = abi.encodePacked(out, u.id, u.target, u.action, u.scoreType);
        }
    }

    /// @dev Sends a batch and returns its outcomes as the event has them, after checking that the event has the data.
    function send(bytes memory data) internal returns (bytes memory outcomes) {
        vm.recordLogs();
        vm.prank(RELAYER);
        registry.applyBatch(data);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        require(logs.length == 1 && logs[0].topics.length == 1, "one event of a batch");
        require(logs[0].topics[0] == IScoreRegistry.BatchApplied.selector, "the batch's event");
        bytes memory echoed;
        (echoed, outcomes) = abi.decode(logs[0].data, (bytes, bytes));
        require(keccak256(echoed) == keccak256(data), "the event carries the batch");
    }

    function scoreOf(bytes32 projectId, address target, uint8 scoreType) internal view returns (int64) {
        uint8[] memory types = new uint8[](1);
        types[0] = scoreType;
        return registry.getScores(projectId, list(target), types)[0];
    }

    function isUsed(bytes32 projectId, bytes32 id) internal view returns (bool) {
        bytes32[] memory ids = new bytes32[](1);
        ids[0] = id;
        return registry.getUsed(projectId, ids)[0];
    }

    function rolesOf(bytes32 projectId, address member) internal view returns (uint8) {
        return registry.getRoles(projectId, list(member))[0];
    }
}
