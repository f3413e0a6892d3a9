// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Signed groups: a signature is good for its group, on its contract and chain, and for nothing else.
contract SignedTest is Base {
    address private constant WALLET = address(0xF00D);
    bytes32 private constant SECOND = keccak256("second project");

    function setUp() public {
        _deploy();
        Creation memory c = _usual();
        c.signedOnly = true;
        _create(c);
        c.id = SECOND;
        c.signedOnly = false;
        _create(c);
    }

    /// @dev A signed group in which anything was changed applies nothing.
    /// forge-config: default.fuzz.runs = 384
    /// forge-config: coverage.fuzz.runs = 48
    /// forge-config: mutants.fuzz.runs = 96
    function testFuzz_anyChangeSpoilsIt(uint256 chance) public {
        seed = chance;
        Group memory g = _some(uint8(1 + _pick(3)), OWNER);
        bytes memory data = Frames.encode(_alone(_signed(g)), 0);
        uint256 place = 1 + _pick(data.length - 1);
        if (_pick(2) == 0) place = 1 + _pick(120); // of which bodies have less
        data[place] ^= bytes1(uint8(1 << _pick(8)));
        (bool ok,) = _try(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
        bytes memory outcomes = ok ? index.lastOutcomes() : bytes("");
        for (uint256 i; i < outcomes.length; ++i) {
            require(outcomes[i] == (place < 33 ? bytes1(0x02) : place < 53 ? bytes1(0x03) : bytes1(0x09)), "outcome");
        }
        outcomes = _applyOne(g);
        for (uint256 i; i < outcomes.length; ++i) {
            require(outcomes[i] == 0, "the group itself is as good as before");
        }
    }

    /// @dev Made for another project of the same members, another kind, signer, contract, chain or version.
    function test_madeForSomethingElse() public {
        bytes32 here = Frames.domain(address(registry));
        bytes32 domainType =
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32[5] memory domains = [
            Frames.domain(address(twin)),
            keccak256(abi.encode(domainType, keccak256("Scorelay"), keccak256("1"), block.chainid + 1, registry)),
            keccak256(abi.encode(domainType, keccak256("Scorelay"), keccak256("2"), block.chainid, registry)),
            keccak256(abi.encode(domainType, keccak256("scorelay"), keccak256("1"), block.chainid, registry)),
            bytes32(0)
        ];
        for (uint8 kind = 1; kind <= 3; ++kind) {
            Group memory g = _some(kind, UPDATER);
            for (uint256 i; i < 5; ++i) {
                g.signature = _sign(2, Frames.digest(domains[i], g));
                _bad(g);
            }
            for (uint8 other; other < 5; ++other) {
                Group memory as_ = Group(g.project, g.signer, other, g.records, "", g.body);
                g.signature = _sign(2, Frames.digest(here, as_));
                if (other != kind) _bad(g);
            }
            g.signature = _sign(2, Frames.digest(here, Group(SECOND, g.signer, kind, g.records, "", g.body)));
            _bad(g);
            _bad(_signedBy(1, g)); // an owner's, but not who is named
            bytes32 plain = keccak256(g.body);
            g.signature = _sign(2, plain);
            _bad(g);
            g.signature = _sign(2, keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", plain)));
            _bad(g);
            _good(_signed(g));
        }
    }

    /// @dev A signature that recovers to no account is bad, even after good ones.
    function test_noSignature() public {
        bytes32 order = bytes32(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141);
        bytes32[2][6] memory none;
        none[1] = [bytes32(0), bytes32(uint256(1))];
        none[2] = [bytes32(uint256(1)), bytes32(0)];
        none[3] = [order, bytes32(uint256(1))];
        none[4] = [bytes32(type(uint256).max), bytes32(type(uint256).max)];
        none[5] = [bytes32(uint256(5)), bytes32(uint256(1))]; // there is no point with this x
        for (uint256 i; i < none.length; ++i) {
            Group[] memory groups = new Group[](3);
            groups[0] = _signed(_some(uint8(1 + i % 3), OWNER));
            groups[1] = _some(uint8(1 + i % 2), OWNER);
            groups[1].signature = abi.encodePacked(none[i][0], none[i][1]);
            groups[2] = _some(uint8(1 + i % 3), address(0));
            groups[2].signature = groups[1].signature;
            bytes memory outcomes = _apply(groups);
            for (uint256 k; k < outcomes.length; ++k) {
                require(outcomes[k] == (k < 4 ? bytes1(0) : k < 8 ? bytes1(0x09) : bytes1(0x03)), "outcome");
            }
        }
    }

    /// @dev A fork's chain is another chain, from its first block on.
    function test_afterAFork() public {
        Group memory g = _signed(_some(Frames.WORD, BOTH));
        vm.chainId(block.chainid + 1);
        _bad(g);
        _good(_signed(_some(Frames.WORD, BOTH)));
        vm.chainId(block.chainid - 1);
        _good(g);
    }

    function test_theDomainIsTold() public view {
        (bytes1 fields, string memory name, string memory version, uint256 chain, address at_, bytes32 salt,) =
            registry.eip712Domain();
        require(fields == 0x0f && chain == block.chainid && at_ == address(registry) && salt == 0, "domain");
        require(keccak256(bytes(name)) == keccak256("Scorelay") && keccak256(bytes(version)) == keccak256("1"), "name");
    }

    /// @dev Whose group it is, and whether groups must be signed, comes before whether the signature is good.
    function test_theOrderOfChecks() public {
        Group memory g = _some(Frames.RUNS, STRANGER);
        require(_applyOne(g)[0] == 0x03, "not a member, unsigned");
        require(_applyOne(_signedBy(1, g))[0] == 0x03, "not a member, badly signed");
        require(_applyOne(_signed(g))[0] == 0x03, "not a member, well signed");
        g.project = bytes32("none");
        require(_applyOne(_signed(g))[0] == 0x02, "no project");
        g = _some(Frames.RUNS, OWNER);
        require(_applyOne(g)[0] == 0x08, "unsigned");
        _good(_signed(g));
        require(_applyOne(g)[0] == 0x01, "used");
        require(_applyOne(_signedBy(2, g))[0] == 0x09, "used, but badly signed");
        g.signature = "";
        require(_applyOne(g)[0] == 0x08, "used, but unsigned");
        g.project = SECOND;
        require(_applyOne(_signedBy(2, g))[0] == 0x09, "badly signed where it need not be signed");
        g.signature = "";
        require(_applyOne(g)[0] == 0x00, "unsigned where it need not be signed");
    }

    /// @dev A signature does not expire, but its ids do: what was used, in any way, is a duplicate, the rest applies.
    function test_partsOfAGroupMayBeUsed() public {
        Group memory g = _signed(_some(Frames.RUNS, UPDATER));
        _ok(OWNER, _update(g.records[1].id, "a000", "t000", WALLET));
        require(keccak256(_applyOne(g)) == keccak256(hex"00010000"), "one was used");
        require(keccak256(_applyOne(g)) == keccak256(hex"01010101"), "all are");
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, UPDATER)));
        require(_applyOne(g)[0] == 0x03, "who signed was a member");
    }

    /// @dev Signed and unsigned groups of a signer, all headers left out that may be.
    function test_signedGroupsShareHeaders() public {
        Group[] memory groups = new Group[](6);
        for (uint256 i; i < 6; ++i) {
            Record[] memory records = new Record[](1);
            records[0] = Record(bytes32(i), WALLET, 0, 0);
            groups[i] = _group(SECOND, OWNER, uint8(1 + i % 3), records, 0);
            if (i % 2 == 0) _signed(groups[i]);
        }
        groups[2].signature[5] ^= 0x01; // the groups behind it are none the worse for it
        bytes memory data = Frames.encode(groups, 0);
        require(data[0] == 0x81, "only the first says whose");
        require(keccak256(_apply(groups)) == keccak256(hex"000009000000"), "outcomes");
    }

    /// @dev Four updates, with ids that no other group has.
    function _some(uint8 kind, address signer) private returns (Group memory) {
        Record[] memory records = new Record[](4);
        uint256 word = uint256(keccak256(abi.encode(seed, _pick(2)))) >> 8 << 8;
        for (uint256 i; i < 4; ++i) {
            records[i] = Record(bytes32(word | (10 * i + _pick(9))), address(uint160(1 + i / 2)), uint8(_pick(10)), 0);
        }
        return _group(PROJECT, signer, kind, records, _pick(2) == 0 ? 0 : seed);
    }

    function _good(Group memory g) private {
        require(keccak256(_applyOne(g)) == keccak256(new bytes(4)), "not applied");
    }

    function _bad(Group memory g) private {
        require(keccak256(_applyOne(g)) == keccak256(hex"09090909"), "not a bad signature");
    }
}
