// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";

/// @notice One update of a batch.
struct Record {
    bytes32 id;
    address target;
    uint8 action;
    uint8 scoreType;
}

/// @notice The updates of one project and signer. In a group of kind WORD or RUNS all ids begin alike; in one of kind WORD
/// they also ascend.
struct Group {
    bytes32 project;
    address signer;
    uint8 kind;
    Record[] records;
    bytes signature; // 64 bytes, or none
    bytes body; // the records as they are written, with their word; what a signature is about
}

/// @notice The calldata format of applyBatch, both ways, written without regard to cost.
library Frames {
    uint8 internal constant WORD = 1;
    uint8 internal constant RUNS = 2;
    uint8 internal constant FREE = 3;

    uint8 internal constant SAME_PROJECT = 0x10;
    uint8 internal constant SAME_SIGNER = 0x20;
    uint8 internal constant SAME_WORD = 0x40;
    uint8 internal constant SIGNED = 0x80;

    /// @dev The word before any group has had one.
    uint256 private constant NO_WORD = type(uint256).max;

    // ------------------------------------------------------------------------------------------------- encoding

    /// @param odd 0 for the shortest encoding, in which a group repeats nothing that the one before it says. Other numbers
    /// choose, group by group, what is repeated all the same.
    function encode(Group[] memory groups, uint256 odd) internal pure returns (bytes memory out) {
        uint256 last = NO_WORD;
        for (uint256 i; i < groups.length; ++i) {
            Group memory g = groups[i];
            uint256 repeat = odd == 0 ? 0 : uint256(keccak256(abi.encode(odd, i)));
            uint8 flags = g.signature.length > 0 ? SIGNED : 0;
            if (i > 0 && repeat & 1 == 0 && g.project == groups[i - 1].project) flags |= SAME_PROJECT;
            if (i > 0 && repeat & 2 == 0 && g.signer == groups[i - 1].signer) flags |= SAME_SIGNER;
            if (g.kind != FREE) {
                uint256 word = _take(g.body, 0, 31);
                if (repeat & 4 == 0 && word == last && flags & SIGNED == 0) flags |= SAME_WORD;
                last = word;
            }
            out = bytes.concat(
                out,
                bytes1(flags | g.kind),
                flags & SAME_PROJECT == 0 ? abi.encodePacked(g.project) : bytes(""),
                flags & SAME_SIGNER == 0 ? abi.encodePacked(g.signer) : bytes(""),
                g.signature,
                flags & SAME_WORD == 0 ? g.body : _slice(g.body, 31, g.body.length)
            );
        }
    }

    /// @param odd 0 for the shortest body: a mask without zero bytes at its ends, runs as long as can be. Other numbers
    /// choose a longer mask or shorter runs.
    function body(uint8 kind, Record[] memory records, uint256 odd) internal pure returns (bytes memory out) {
        out = new bytes(96 + records.length * 56); // cut at the end; the last part is written with a tail
        uint256 size = kind == FREE ? 0 : _put(out, 0, abi.encodePacked(bytes31(records[0].id)));
        if (kind == WORD) {
            size = _put(out, size, _mask(records, odd));
            for (uint256 i; i < records.length; ++i) {
                Record memory r = records[i];
                size = _put(out, size, abi.encodePacked(r.target, r.scoreType, r.action));
            }
        } else {
            uint256 runs;
            uint256 runsAt = size;
            size += 2;
            for (uint256 i; i < records.length; ++runs) {
                uint256 n = _run(records, i, odd);
                size = _put(out, size, abi.encodePacked(records[i].target, records[i].scoreType, uint8(n - 1)));
                for (uint256 end = i + n; i < end; ++i) {
                    Record memory r = records[i];
                    bytes memory id = kind == RUNS ? abi.encodePacked(uint8(uint256(r.id))) : abi.encodePacked(r.id);
                    size = _put(out, size, bytes.concat(id, bytes1(r.action)));
                }
            }
            (out[runsAt], out[runsAt + 1]) = (bytes1(uint8(runs >> 8)), bytes1(uint8(runs)));
        }
        assembly ("memory-safe") {
            mstore(out, size)
        }
    }

    /// @dev start(1) length(1) mask(length)
    function _mask(Record[] memory records, uint256 odd) private pure returns (bytes memory) {
        uint256 mask;
        for (uint256 i; i < records.length; ++i) {
            uint256 bit = 1 << uint8(uint256(records[i].id));
            require(bit > mask, "ids of a word must ascend");
            mask |= bit;
        }
        uint256 start = uint8(uint256(records[0].id)) / 8;
        uint256 end = uint8(uint256(records[records.length - 1].id)) / 8 + 1;
        if (odd & 1 != 0) start -= (odd >> 8) % (start + 1);
        if (odd & 2 != 0) end += (odd >> 16) % (33 - end);
        bytes memory out = abi.encodePacked(uint8(start), uint8(end - start), new bytes(end - start));
        for (uint256 i; i < end - start; ++i) {
            out[out.length - 1 - i] = bytes1(uint8(mask >> (8 * (start + i))));
        }
        return out;
    }

    /// @dev How many records the run from the i-th on has.
    function _run(Record[] memory records, uint256 i, uint256 odd) private pure returns (uint256 n) {
        for (n = 1; n < 256 && i + n < records.length; ++n) {
            Record memory r = records[i + n];
            if (r.target != records[i].target || r.scoreType != records[i].scoreType) break;
            if (odd != 0 && uint256(keccak256(abi.encode(odd, i + n))) % 4 == 0) break;
        }
    }

    // ------------------------------------------------------------------------------------------------- decoding

    /// @return groups The groups, if the bytes are well framed.
    /// @return brokenAt Where the first broken group starts, or all ones.
    function decode(bytes memory data) internal pure returns (Group[] memory groups, uint256 brokenAt) {
        if (data.length == 0) return (groups, 0);
        groups = new Group[](data.length / 26 + 1); // no group is shorter
        uint256 count;
        uint256 word = NO_WORD;
        for (uint256 pos; pos < data.length;) {
            if (count == groups.length) return (groups, pos);
            if (count > 0) (groups[count].project, groups[count].signer) = _names(groups[count - 1]);
            uint256 next = _group(data, pos, groups[count], count == 0, word);
            if (next == 0) return (groups, pos);
            if (groups[count].kind != FREE) word = _take(groups[count].body, 0, 31);
            ++count;
            pos = next;
        }
        assembly ("memory-safe") {
            mstore(groups, count)
        }
        return (groups, type(uint256).max);
    }

    function _names(Group memory g) private pure returns (bytes32, address) {
        return (g.project, g.signer);
    }

    /// @return next Where the group ends, or 0 if it is broken.
    function _group(bytes memory data, uint256 pos, Group memory g, bool first, uint256 word)
        private
        pure
        returns (uint256 next)
    {
        uint8 flags = uint8(data[pos++]);
        g.kind = flags & 0x0f;
        if (g.kind == 0 || g.kind > FREE) return 0;
        if (first && flags & (SAME_PROJECT | SAME_SIGNER) != 0) return 0;
        if (flags & SAME_WORD != 0 && (g.kind == FREE || flags & SIGNED != 0 || word == NO_WORD)) return 0;

        if (flags & SAME_PROJECT == 0) {
            if (data.length < pos + 32) return 0;
            g.project = bytes32(_take(data, pos, 32));
            pos += 32;
        }
        if (flags & SAME_SIGNER == 0) {
            if (data.length < pos + 20) return 0;
            g.signer = address(uint160(_take(data, pos, 20)));
            pos += 20;
        }
        if (flags & SIGNED != 0) {
            if (data.length < pos + 64) return 0;
            g.signature = _slice(data, pos, pos + 64);
            pos += 64;
        }
        uint256 bodyAt = pos;
        if (g.kind != FREE && flags & SAME_WORD == 0) {
            if (data.length < pos + 31) return 0;
            word = _take(data, pos, 31);
            pos += 31;
        }
        next = g.kind == WORD ? _maskedEnd(data, pos, g) : _runsEnd(data, pos, g);
        if (next == 0) return 0;
        if (g.kind == WORD) _readMasked(data, pos, g, word);
        else _readRuns(data, pos, g, word);
        g.body = _slice(data, bodyAt, next);
        if (flags & SAME_WORD != 0) g.body = bytes.concat(bytes31(uint248(word)), g.body);
    }

    /// @dev Where the body of kind WORD ends whose mask starts here, or 0; makes room for its records.
    function _maskedEnd(bytes memory data, uint256 pos, Group memory g) private pure returns (uint256) {
        if (data.length < pos + 2) return 0;
        (uint256 start, uint256 length) = (_take(data, pos, 1), _take(data, pos + 1, 1));
        pos += 2;
        if (length == 0 || start + length > 32 || data.length < pos + length) return 0;
        uint256 count;
        for (uint256 mask = _take(data, pos, length); mask != 0; mask >>= 1) {
            count += mask & 1;
        }
        pos += length + 22 * count;
        if (count == 0 || pos > data.length) return 0;
        g.records = new Record[](count);
        return pos;
    }

    function _readMasked(bytes memory data, uint256 pos, Group memory g, uint256 word) private pure {
        (uint256 start, uint256 length) = (_take(data, pos, 1), _take(data, pos + 1, 1));
        uint256 mask = _take(data, pos + 2, length) << (8 * start);
        pos += 2 + length;
        uint256 i;
        for (uint256 low; low < 256; ++low) {
            if (mask >> low & 1 == 0) continue;
            Record memory r = g.records[i++];
            r.id = bytes32(word << 8 | low);
            r.target = address(uint160(_take(data, pos, 20)));
            r.scoreType = uint8(data[pos + 20]);
            r.action = uint8(data[pos + 21]);
            pos += 22;
        }
    }

    /// @dev Where the body of kind RUNS or FREE ends whose runs start here, or 0; makes room for its records.
    function _runsEnd(bytes memory data, uint256 pos, Group memory g) private pure returns (uint256) {
        if (data.length < pos + 2) return 0;
        uint256 runs = _take(data, pos, 2);
        if (runs == 0) return 0;
        pos += 2;
        uint256 count;
        for (uint256 i; i < runs; ++i) {
            if (data.length < pos + 22) return 0;
            uint256 n = _take(data, pos + 21, 1) + 1;
            count += n;
            pos += 22 + n * (g.kind == RUNS ? 2 : 33);
        }
        if (data.length < pos) return 0;
        g.records = new Record[](count);
        return pos;
    }

    function _readRuns(bytes memory data, uint256 pos, Group memory g, uint256 word) private pure {
        pos += 2;
        uint256 idBytes = g.kind == RUNS ? 1 : 32;
        uint256 left;
        address target;
        uint8 scoreType;
        for (uint256 i; i < g.records.length; ++i) {
            if (left == 0) {
                target = address(uint160(_take(data, pos, 20)));
                scoreType = uint8(data[pos + 20]);
                left = 1 + uint256(uint8(data[pos + 21]));
                pos += 22;
            }
            uint256 id = _take(data, pos, idBytes);
            if (g.kind == RUNS) id |= word << 8;
            g.records[i] = Record(bytes32(id), target, uint8(data[pos + idBytes]), scoreType);
            pos += idBytes + 1;
            --left;
        }
    }

    // -------------------------------------------------------------------------------------------------- signing

    /// @notice What an owner signs to edit a project.
    function editsDigest(
        bytes32 separator,
        bytes32 project,
        IScoreRegistry.Edit[] memory edits,
        uint256 nonce,
        uint256 deadline
    ) internal pure returns (bytes32) {
        bytes memory editType = "Edit(string operation,address member,string name,uint32 points,uint8 direction)";
        bytes memory all;
        for (uint256 i; i < edits.length; ++i) {
            IScoreRegistry.Edit memory e = edits[i];
            bytes memory fields =
                abi.encode(keccak256(bytes(e.operation)), e.member, keccak256(bytes(e.name)), e.points, e.direction);
            all = bytes.concat(all, keccak256(bytes.concat(keccak256(editType), fields)));
        }
        bytes32 type_ = keccak256(
            bytes.concat("EditProject(bytes32 projectId,Edit[] edits,uint256 nonce,uint256 deadline)", editType)
        );
        bytes32 hash = keccak256(abi.encode(type_, project, keccak256(all), nonce, deadline));
        return keccak256(abi.encodePacked(hex"1901", separator, hash));
    }

    /// @notice The EIP-712 domain separator of a registry on this chain.
    function domain(address registry) internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Scorelay"),
                keccak256("1"),
                block.chainid,
                registry
            )
        );
    }

    /// @notice What the signer of a group signs.
    function digest(bytes32 separator, Group memory g) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256("UpdateGroup(bytes32 projectId,uint8 kind,bytes updates)");
        bytes32 structHash = keccak256(abi.encode(typeHash, g.project, g.kind, keccak256(g.body)));
        return keccak256(abi.encodePacked(hex"1901", separator, structHash));
    }

    // ---------------------------------------------------------------------------------------------------- bytes

    /// @dev The big-endian number in n bytes from pos.
    function _take(bytes memory data, uint256 pos, uint256 n) private pure returns (uint256 value) {
        for (uint256 i; i < n; ++i) {
            value = value << 8 | uint8(data[pos + i]);
        }
    }

    function _slice(bytes memory data, uint256 from, uint256 to) private pure returns (bytes memory out) {
        out = new bytes(to - from);
        for (uint256 i; i < out.length; ++i) {
            out[i] = data[from + i];
        }
    }

    /// @dev Copies, and may write up to 31 bytes more than it copies. Returns where the copy ends.
    function _put(bytes memory out, uint256 offset, bytes memory part) private pure returns (uint256) {
        for (uint256 i; i < part.length; i += 32) {
            assembly ("memory-safe") {
                mstore(add(add(out, 32), add(offset, i)), mload(add(add(part, 32), i)))
            }
        }
        return offset + part.length;
    }
}
