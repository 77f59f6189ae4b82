import { randomBytes } from 'node:crypto';

// Asked for many at once: each question to the system's generator takes longer than all else about an id.
const DRAWN = 1536;
let drawn: Uint8Array = new Uint8Array();
let used = 0;

/** An unpredictable byte. */
export function randomByte(): number {
  if (used >= drawn.length) {
    drawn = randomBytes(DRAWN);
    used = 0;
  }
  return drawn[used++] as number;
}
