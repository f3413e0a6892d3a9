// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Vm} from "./Vm.sol";
import {Index} from "./Index.sol";
import {PlainRegistry} from "./PlainRegistry.sol";

/// @notice All that ScoreRegistry answers to. The tests deploy the committed artifact, the very bytes that operators
/// deploy, so its source is compiled once, by build.mjs, and the tests are compiled without the slow optimizer.
interface IRegistry is IScoreRegistry, IERC165, IERC5267, IAccessControl, IAccessControlDefaultAdminRules {
    function RELAYER_ROLE() external view returns (bytes32);
    function DEFAULT_ADMIN_ROLE() external view returns (bytes32);
}

/// @notice A registry; its twin, to which every call goes as well; and the index, which knows nothing but the events.
/// What they must agree on is checked here, at each call and by _compare; the tests say what to call and what else is
/// so.
abstract contract Compared {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint48 internal constant DELAY = 3 days;
    address internal constant ADMIN = address(0xAD);
    address internal constant RELAYER = address(0xE1);

    IRegistry internal registry;
    PlainRegistry internal twin;
    Index internal index;
    bytes private _code;

    function _deploy() internal {
        address[] memory relayers = new address[](1);
        relayers[0] = RELAYER;
        vm.recordLogs();
        registry = IRegistry(_deploy(ADMIN, relayers));
        index = new Index();
        index.fold(vm.getRecordedLogs());
        twin = new PlainRegistry(DELAY, ADMIN, relayers, address(registry));
        vm.roll(1000);
    }

    /// @dev Reverts like the constructor. REGISTRY names another artifact than the committed one: a mutant's, or a
    /// contract for forge to compile, whose coverage it can then tell.
    function _deploy(address admin, address[] memory relayers) internal returns (address deployed) {
        if (_code.length == 0) {
            string memory path = vm.envOr("REGISTRY", string("artifacts/ScoreRegistry.json"));
            bytes memory end = bytes(path);
            _code = end[end.length - 1] == "n" ? vm.parseJsonBytes(vm.readFile(path), ".bytecode") : vm.getCode(path);
        }
        bytes memory data = bytes.concat(_code, abi.encode(DELAY, admin, relayers));
        assembly ("memory-safe") {
            deployed := create(0, add(data, 32), mload(data))
            if iszero(deployed) {
                returndatacopy(mload(0x40), 0, returndatasize())
                revert(mload(0x40), returndatasize())
            }
        }
    }

    // ---------------------------------------------------------------------------------------------------- calls

    /// @dev Calls the registry and its twin, and requires the same of both: the answer or the error, and the events. The
    /// index follows.
    function _try(address from, bytes memory data) internal returns (bool ok, bytes memory returned) {
        Vm.Log[] memory logs;
        (ok, returned, logs) = _call(address(registry), from, data);
        (bool twinOk, bytes memory twinReturned, Vm.Log[] memory twinLogs) = _call(address(twin), from, data);
        require(ok == twinOk, ok ? "done, but the twin refuses" : "refused, but the twin does it");
        require(keccak256(returned) == keccak256(twinReturned), "not the twin's answer");
        require(logs.length == twinLogs.length, "not the twin's number of events");
        for (uint256 i; i < logs.length; ++i) {
            require(logs[i].emitter == address(registry), "an event of another contract");
            bytes memory event_ = abi.encode(logs[i].topics, logs[i].data);
            require(keccak256(event_) == keccak256(abi.encode(twinLogs[i].topics, twinLogs[i].data)), "not its event");
        }
        index.fold(logs);
    }

    function _call(address to, address from, bytes memory data)
        private
        returns (bool ok, bytes memory returned, Vm.Log[] memory logs)
    {
        vm.recordLogs();
        vm.prank(from);
        (ok, returned) = to.call(data);
        logs = vm.getRecordedLogs(); // forge also records what a reverted call emitted
        if (!ok) logs = new Vm.Log[](0);
    }

    /// @dev The call must succeed.
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

    // ------------------------------------------------------------------------------------------------ comparing

    /// @dev Everything that can be seen of a project, these people and these wallets is what the twin shows and what the
    /// events tell.
    function _compare(bytes32 project, address[] memory people, address[] memory wallets) internal view {
        IScoreRegistry.ProjectInfo memory info = registry.getProject(project);
        int64[] memory points = index.points(project);
        require(info.createdBlock == index.createdBlock(project), "createdBlock");
        require(info.ownerCount == index.ownerCount(project), "ownerCount");
        require(info.actionCount == points.length, "actionCount");
        require(info.scoreTypeCount == index.scoreTypeCount(project), "scoreTypeCount");
        require(info.signedOnly == index.signedOnly(project), "signedOnly");
        _same(abi.encodeCall(IScoreRegistry.getProject, (project)));
        bytes memory got = _same(abi.encodeCall(IScoreRegistry.getActions, (project)));
        require(keccak256(got) == keccak256(abi.encode(points)), "points");
        uint8[] memory roles = abi.decode(_same(abi.encodeCall(IScoreRegistry.getRoles, (project, people))), (uint8[]));
        for (uint256 i; i < people.length; ++i) {
            require(roles[i] == index.roles(project, people[i]), "roles");
        }
        for (uint256 i; i < wallets.length; ++i) {
            int64[] memory scores = registry.getWalletScores(project, wallets[i]);
            require(scores.length == info.scoreTypeCount, "scores");
            for (uint256 k; k < scores.length; ++k) {
                require(scores[k] == index.scores(project, wallets[i], k), "score");
            }
            _sameScores(project, wallets[i], scores.length);
        }
    }

    /// @dev All 256 ids of a word are used or not as the twin and the index say.
    function _compareWord(bytes32 project, bytes32 word) internal view {
        bytes32[] memory ids = new bytes32[](256);
        for (uint256 i; i < 256; ++i) {
            ids[i] = bytes32(uint256(word) >> 8 << 8 | i);
        }
        bool[] memory used = abi.decode(_same(abi.encodeCall(IScoreRegistry.getUsed, (project, ids))), (bool[]));
        for (uint256 i; i < 256; ++i) {
            require(used[i] == index.applied(project, ids[i]), "used");
        }
    }

    /// @dev All that the wallet has, and that it has nothing of score types that there are none of.
    function _sameScores(bytes32 project, address wallet, uint256 count) private view {
        (address[] memory wallets, uint8[] memory types) = (new address[](count + 8), new uint8[](count + 8));
        for (uint256 i; i < count + 8; ++i) {
            (wallets[i], types[i]) = (wallet, uint8(i < count + 4 ? i : 255 + count + 4 - i));
        }
        _same(abi.encodeCall(IScoreRegistry.getScores, (project, wallets, types)));
        _same(abi.encodeCall(IScoreRegistry.getWalletScores, (project, wallet)));
    }

    /// @dev The registry's view is the twin's, or the same error.
    function _same(bytes memory view_) internal view returns (bytes memory returned) {
        bool ok;
        (ok, returned) = address(registry).staticcall(view_);
        (bool twinOk, bytes memory twinReturned) = address(twin).staticcall(view_);
        require(ok == twinOk && keccak256(returned) == keccak256(twinReturned), "not the twin's view");
    }
}
