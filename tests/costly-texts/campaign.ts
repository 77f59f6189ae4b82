import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ServedProduct, servedProduct } from '../support/served-product.ts';
import { type Cost, costOf } from './measure.ts';
import { PRODUCTIONS } from './productions.ts';

// Each production of the grammar at n, 2n, 4n … up to what a statement may have, through the door of statements with a real keeper.
//   node tests/costly-texts/campaign.ts [--only comments,joins] [--list FILE]

/** What a statement may have at most. */
const TEXT_BYTES_MAX = 1024 ** 2;
const FIRST_BYTES = 1_024;
/** Sizes of the short form. */
const SHORT_BYTES = [1_000, 40_000, 400_000];
/** More is not tried: it is found. */
const ENOUGH_MS = 1_000;

export interface Measured extends Cost {
  readonly production: string;
  readonly n: number;
  readonly bytes: number;
}

export const FILES = {
  'config.yaml': 'name: costly\n',
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS i',
};

/** Doubles a text until it is refused, too long, or costs too much. */
export async function measureProduction(
  served: ServedProduct,
  production: string,
): Promise<readonly Measured[]> {
  const make = PRODUCTIONS[production];
  if (make === undefined) throw new Error(`there is no production ${production}`);
  const measured: Measured[] = [];
  for (
    let n = Math.max(1, Math.round(FIRST_BYTES / Math.max(1, make(2).length - make(1).length)));
    ;
    n *= 2
  ) {
    const sql = make(n);
    if (Buffer.byteLength(sql) > TEXT_BYTES_MAX) return measured;
    const cost = await costOf(served, sql);
    measured.push({ production, n, bytes: sql.length, ...cost });
    if (cost.ownMs + cost.keeperMs > ENOUGH_MS) return measured;
  }
}

/** The text of a production that costs most, answered or refused. */
export async function worstText(served: ServedProduct, production: string): Promise<Measured> {
  const make = PRODUCTIONS[production];
  if (make === undefined) throw new Error(`there is no production ${production}`);
  const unit = Math.max(1, make(2).length - make(1).length);
  let worst: Measured | undefined;
  for (const bytes of SHORT_BYTES) {
    const n = Math.max(1, Math.round(bytes / unit));
    const sql = make(n);
    const measured = { production, n, bytes: sql.length, ...(await costOf(served, sql)) };
    if (worst === undefined || measured.ownMs + measured.keeperMs > worst.ownMs + worst.keeperMs)
      worst = measured;
  }
  return worst as Measured;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'string' } } });
  const served = await servedProduct(FILES);
  const all: Measured[] = [];
  for (const production of values.only?.split(',') ?? Object.keys(PRODUCTIONS)) {
    const measured = await measureProduction(served, production);
    all.push(...measured);
    const line = measured
      .slice(-4)
      .map(({ bytes, ownMs, keeperMs }) => `${bytes >> 10}k ${Math.round(ownMs)}+${keeperMs}`)
      .join('  ');
    console.log(`${production.padEnd(36)} ${line}  ${measured.at(-1)?.told}`);
  }
  if (values.list !== undefined) writeFileSync(values.list, `${JSON.stringify(all, null, 1)}\n`);
  await served.close();
}
