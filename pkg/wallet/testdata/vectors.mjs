import { Wallet } from "ethers";
import { privateKeyToAccount } from "viem/accounts";
import { compactSignatureToSignature, parseSignature, serializeCompactSignature, signatureToCompactSignature } from "viem";
import { Web3 } from "web3";
import { getEncodedEip712Data } from "web3-eth-abi";
import { signRaw } from "web3-eth-accounts";
import fs from "fs";
const keys = ["0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318", "0x" + "11".repeat(32)];
const messages = ["1", "1700000000000", "9999999999999"];
const out = { personal: [], typed: [], groups: [] };
const web3 = new Web3();
const domain = { name: "Scorelay", version: "1", chainId: 1337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };
const types = { UpdateScore: [
  { name: "updateId", type: "bytes32" }, { name: "projectId", type: "bytes32" }, { name: "actionName", type: "string" },
  { name: "scoreType", type: "string" }, { name: "targetWallet", type: "address" }, { name: "message", type: "uint256" } ] };
const groupTypes = { UpdateGroup: [
  { name: "projectId", type: "bytes32" }, { name: "kind", type: "uint8" }, { name: "updates", type: "bytes" } ] };
const domainType = [
  { name: "name", type: "string" }, { name: "version", type: "string" }, { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" } ];
const groups = [{ kind: 1, updates: "0x" + "5a".repeat(31 + 3 + 22) }, { kind: 2, updates: "0x" + "a5".repeat(57) }, { kind: 3, updates: "0x" + "0f".repeat(112) }]
  .map((g) => ({ projectId: "0x" + "cd".repeat(32), ...g }));
const value = { updateId: "0x" + "ab".repeat(32), projectId: "0x" + "cd".repeat(32), actionName: "purchase é", scoreType: "reputation",
  targetWallet: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", message: "1700000000000" };
for (const k of keys) {
  const e = new Wallet(k), v = privateKeyToAccount(k);
  for (const m of messages) {
    out.personal.push({ library: "ethers", message: m, signature: await e.signMessage(m), address: e.address });
    const vs = await v.signMessage({ message: m });
    out.personal.push({ library: "viem", message: m, signature: vs, address: v.address });
    out.personal.push({ library: "viem, compact", message: m, signature: serializeCompactSignature(signatureToCompactSignature(parseSignature(vs))), address: v.address });
    out.personal.push({ library: "web3.js", message: m, signature: web3.eth.accounts.sign(m, k).signature, address: v.address });
  }
  const flat = { chainId: domain.chainId, contract: domain.verifyingContract, ...value };
  out.typed.push({ library: "ethers", ...flat, signature: await e.signTypedData(domain, types, value), address: e.address });
  out.typed.push({ library: "viem", ...flat, signature: await v.signTypedData({ domain, types, primaryType: "UpdateScore", message: { ...value, message: 1700000000000n } }), address: v.address });
  for (const g of groups) {
    const flat = { chainId: domain.chainId, contract: domain.verifyingContract, ...g };
    const add = (library, signature) => out.groups.push({ library, ...flat, signature, address: e.address });
    add("ethers", await e.signTypedData(domain, groupTypes, g));
    const vs = await v.signTypedData({ domain, types: groupTypes, primaryType: "UpdateGroup", message: g });
    add("viem", vs);
    add("viem, compact", serializeCompactSignature(signatureToCompactSignature(parseSignature(vs))));
    const encoded = getEncodedEip712Data({ domain, types: { EIP712Domain: domainType, ...groupTypes }, primaryType: "UpdateGroup", message: g });
    add("web3.js", signRaw(encoded, k).signature);
  }
}
fs.writeFileSync("vectors.json", JSON.stringify(out, null, 1) + "\n");
