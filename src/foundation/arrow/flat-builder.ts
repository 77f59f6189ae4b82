/** Builds one FlatBuffers message, from its end to its beginning as the format wants it. Tables write every field they are given: no defaults are left out. */
export class FlatBuilder {
  #bytes = Buffer.alloc(1024);
  #space = 1024;
  #alignment = 1;

  /** Distance from the end: how everything that was written is named. */
  get offset(): number {
    return this.#bytes.length - this.#space;
  }

  /** Room for `size` bytes that are aligned to it once `additional` more have been written. */
  #prepare(size: number, additional: number): void {
    this.#alignment = Math.max(this.#alignment, size);
    const padding = -(this.offset + additional) & (size - 1);
    while (this.#space < padding + size + additional) {
      const grown = Buffer.alloc(this.#bytes.length * 2);
      this.#bytes.copy(grown, this.#bytes.length);
      this.#space += this.#bytes.length;
      this.#bytes = grown;
    }
    this.#space -= padding;
  }

  byte(value: number): void {
    this.#prepare(1, 0);
    this.#bytes.writeUInt8(value, --this.#space);
  }

  short(value: number): void {
    this.#prepare(2, 0);
    this.#space -= 2;
    this.#bytes.writeInt16LE(value, this.#space);
  }

  int(value: number): void {
    this.#prepare(4, 0);
    this.#space -= 4;
    this.#bytes.writeInt32LE(value, this.#space);
  }

  long(value: number): void {
    this.#prepare(8, 0);
    this.#space -= 8;
    this.#bytes.writeBigInt64LE(BigInt(value), this.#space);
  }

  /** Points at something written before. */
  reference(to: number): void {
    this.#prepare(4, 0);
    this.int(this.offset - to + 4);
  }

  text(value: string): number {
    const bytes = Buffer.from(value, 'utf8');
    this.#prepare(4, bytes.length + 1);
    this.#space -= bytes.length + 1;
    this.#bytes.writeUInt8(0, this.#space + bytes.length);
    bytes.copy(this.#bytes, this.#space);
    this.int(bytes.length);
    return this.offset;
  }

  references(to: readonly number[]): number {
    this.#prepare(4, 4 * to.length);
    for (const each of to.toReversed()) this.reference(each);
    this.int(to.length);
    return this.offset;
  }

  /** A list of structures of two long numbers. */
  pairs(values: readonly (readonly [number, number])[]): number {
    this.#prepare(4, 16 * values.length);
    this.#prepare(8, 16 * values.length);
    for (const [first, second] of values.toReversed()) {
      this.long(second);
      this.long(first);
    }
    this.int(values.length);
    return this.offset;
  }

  /** A table; each writer puts down one field, undefined leaves it out. What a field points at is written before. */
  table(fields: readonly ((() => void) | undefined)[]): number {
    const start = this.offset;
    const places = fields.map((write) => {
      write?.();
      return write === undefined ? 0 : this.offset;
    });
    this.int(0);
    const table = this.offset;
    for (const place of places.toReversed()) this.short(place === 0 ? 0 : table - place);
    this.short(table - start);
    this.short((places.length + 2) * 2);
    this.#bytes.writeInt32LE(this.offset - table, this.#bytes.length - table);
    return table;
  }

  finish(root: number): Buffer {
    this.#prepare(this.#alignment, 4);
    this.reference(root);
    return this.#bytes.subarray(this.#space);
  }
}
