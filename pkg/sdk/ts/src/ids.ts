/** Bytes as 0x and hex digits. What this package returns is in lower case. */
export type Hex = `0x${string}`

/** The most ids of one range: 256 words. */
export const maxRange = 1 << 16

const wordIds = 256 // ids that share a word
const prefixBytes = 28 // random bytes before the counter
const prefixEnd = 2 + 2 * prefixBytes // where the counter begins in an id's text
const counters = 2 ** 32 // ids under one prefix

/**
 * Makes updateIds: a random prefix of 28 bytes and a counter of 32 bits. Keep one for each project (and signer, where
 * several sign) in each process, for as long as the process lives. There is nothing to store: a restart begins a new
 * prefix, so no id is ever minted twice.
 */
export class Minter {
  private prefix = newPrefix()
  private counter = 0 // the next; from counters on, the prefix is used up

  /** Mints one id, the successor of the last. */
  next(): Hex {
    if (this.counter >= counters) this.renew()
    return this.take(1).first
  }

  /**
   * Mints n ids (1 … maxRange) in a row. They touch as few words as n allows: a range that would begin in the middle of a
   * word and end in one more begins with the next word, and the ids between are never used.
   */
  range(n: number): IdRange {
    if (!Number.isInteger(n) || n < 1 || n > maxRange) throw new RangeError(`a range holds 1 to ${maxRange} ids, not ${n}`)
    const into = this.counter % wordIds
    if (words(into + n) > words(n)) this.counter += wordIds - into
    if (this.counter + n > counters) this.renew()
    return this.take(n)
  }

  private renew(): void {
    this.prefix = newPrefix()
    this.counter = 0
  }

  private take(n: number): IdRange {
    const first: Hex = `${this.prefix}${hex(this.counter, 4)}`
    this.counter += n
    return new IdRange(first, n)
  }
}

/** Ids that were reserved together: count ids from first on. */
export class IdRange implements Iterable<Hex> {
  /** first is an id in lower case, count how many there are. */
  constructor(readonly first: Hex, readonly count: number) {}

  /** The id number i (0 … count-1) of the range. */
  at(i: number): Hex {
    if (!Number.isInteger(i) || i < 0 || i >= this.count) throw new RangeError(`id ${i} of a range of ${this.count}`)
    const counter = (parseInt(this.first.slice(prefixEnd), 16) + i) % counters
    return `${this.first.slice(0, prefixEnd) as Hex}${hex(counter, 4)}`
  }

  /** The ids in order. */
  *[Symbol.iterator](): Iterator<Hex> {
    for (let i = 0; i < this.count; i++) yield this.at(i)
  }
}

/** How many words n ids touch that begin with a word. */
function words(n: number): number {
  return Math.ceil(n / wordIds)
}

function newPrefix(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(prefixBytes))
  return `0x${Array.from(bytes, (byte) => hex(byte, 1)).join('')}`
}

/** Big-endian hex of so many bytes, without 0x. */
export function hex(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0')
}
