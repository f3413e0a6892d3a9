/** Bytes as 0x and hex digits. Values from this package are in lower case. */
export type Hex = `0x${string}`

/** The maximum number of ids in a range: 256 words. */
export const maxRange = 1 << 16

const wordIds = 256 // per word
const prefixBytes = 28 // random bytes before the counter
const prefixEnd = 2 + 2 * prefixBytes // start of the counter in an id's text
const counters = 2 ** 32 // ids per prefix

/**
 * Makes updateIds: a random prefix of 28 bytes and a 32-bit counter. Keep one per process and project (and signer, if
 * several sign) as long as the process runs. No state is stored: a restart begins a new prefix, so an id is minted at
 * most once.
 */
export class Minter {
  private prefix = newPrefix()
  private counter = 0 // the next counter; the prefix is used up at counters

  /** Returns the next id. */
  next(): Hex {
    if (this.counter >= counters) this.renew()
    return this.take(1).first
  }

  /**
   * Mints n consecutive ids (1 … maxRange). They touch as few words as possible: if they would touch one more, they
   * begin at the next word, and the skipped ids stay unused. Throws a RangeError for any other n.
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

/** Consecutive ids, minted or reserved together. */
export class IdRange implements Iterable<Hex> {
  /** first is an id in lower case, count the number of ids. */
  constructor(readonly first: Hex, readonly count: number) {}

  /** Returns id number i (0 … count-1) of the range. Throws a RangeError for any other i. */
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

/** Returns the number of words that n ids from the begin of a word touch. */
function words(n: number): number {
  return Math.ceil(n / wordIds)
}

function newPrefix(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(prefixBytes))
  return `0x${Array.from(bytes, (byte) => hex(byte, 1)).join('')}`
}

/** Big-endian hex of a value in a number of bytes, without 0x. */
export function hex(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0')
}
