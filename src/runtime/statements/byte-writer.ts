const SHORT = 48;

/** Bytes that are put together piece by piece, without a text in between. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expected);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** `[from, to)` of other bytes. */
  copy(source: Buffer, from = 0, to = source.length): void {
    this.#reserve(to - from);
    const bytes = this.#bytes;
    let at = this.#length;
    if (to - from > SHORT) at += source.copy(bytes, at, from, to);
    else for (let next = from; next < to; next++) bytes[at++] = source[next] as number;
    this.#length = at;
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
