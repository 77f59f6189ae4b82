/*
 * Rows as JSON, cut into what is the same for all rows and the cells between:
 *
 *   {"s":▢,"customers":{"region":▢}}      texts: '{"s":'  ',"customers":{"region":'  '}}'      cells: 0, 3
 */
import type { ByteWriter } from './byte-writer.ts';
import type { Format } from './format.ts';
import { lineFormat } from './line-format.ts';

/**
 * How a cell is spelled: as it stands, as JSON.stringify spells its value, or as that of another type first. NULL is always `null`.
 */
export type CellSpelling = 'raw' | 'plain' | 'decimal' | 'text' | 'integer' | 'boolean';

export interface RowFrame {
  /** One more than cells: around and between them. */
  readonly texts: readonly string[];
  readonly cells: readonly { readonly at: number; readonly as: CellSpelling }[];
  /** Between two rows. */
  readonly between: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const SLASH = 0x2f;
const U = 0x75;
const ZERO = 0x30;
const NINE = 0x39;
const T = 0x74;
const F = 0x66;
const N = 0x6e;
/** A whole number with fewer digits is spelled in one way only. */
const DIGITS_MAX = 15;

export function framedFormat({ texts, cells, between }: RowFrame): Format {
  const [first = Buffer.alloc(0), ...rest] = texts.map((text) => Buffer.from(text));
  const separator = Buffer.from(between);
  const texted = texts.reduce((sum, text) => sum + text.length, between.length);
  let isFirst = true;
  return lineFormat({
    growth: Math.min(8, 1 + Math.ceil(texted / 32)),
    line(out, lines, starts) {
      if (!isFirst) out.copy(separator);
      isFirst = false;
      out.copy(first);
      for (let index = 0; index < cells.length; index++) {
        const { at, as } = cells[index] as RowFrame['cells'][number];
        const [from, to] = [starts[at] as number, (starts[at + 1] as number) - 1];
        if (as === 'raw') out.copy(lines, from, to);
        else writeCell(out, lines, { from, to, as });
        out.copy(rest[index] as Buffer);
      }
    },
  });
}

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly as: CellSpelling;
}

function writeCell(out: ByteWriter, lines: Buffer, cell: Cell): void {
  const { from, to, as } = cell;
  const first = lines[from];
  const isAsItStands =
    first === N || (as !== 'integer' && as !== 'boolean' && isSpelledSo(lines, cell, first as number));
  if (isAsItStands) out.copy(lines, from, to);
  else out.text(JSON.stringify(spelled(JSON.parse(lines.toString('utf8', from, to)), as)));
}

/** Whether a value is written as JSON.stringify would write it, seen from its bytes; false when in doubt. */
function isSpelledSo(lines: Buffer, { from, to, as }: Cell, first: number): boolean {
  if (first === QUOTE) return !hasOtherEscape(lines, from, to);
  if (as === 'text') return false;
  if (first === T || first === F) return true;
  const digits = first === MINUS ? from + 1 : from;
  if (as === 'decimal' || to - digits > DIGITS_MAX || (first === MINUS && lines[digits] === ZERO))
    return false;
  for (let at = digits; at < to; at++)
    if ((lines[at] as number) < ZERO || (lines[at] as number) > NINE) return false;
  return true;
}

/** An escape that has a shorter form, or may have one. */
function hasOtherEscape(lines: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++)
    if (lines[at] === BACKSLASH) {
      const escaped = lines[++at];
      if (escaped === U || escaped === SLASH) return true;
    }
  return false;
}

function spelled(value: unknown, as: CellSpelling): unknown {
  switch (as) {
    case 'decimal':
      return typeof value === 'number' ? String(value) : value;
    case 'text':
      return typeof value === 'object' ? value : String(value);
    case 'integer':
      return Number(value);
    case 'boolean':
      return typeof value === 'number' ? value !== 0 : value;
    default:
      return value;
  }
}
