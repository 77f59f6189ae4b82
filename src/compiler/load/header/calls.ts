import type { AuditUse } from '../../../domain/audit.ts';
import { stringText } from '../../../foundation/sql/tokenize.ts';
import { type BlockReader, report } from './block.ts';
import {
  isSymbol,
  itemsOf,
  part,
  rangeOf,
  type Slice,
  sizeOf,
  splitAtCommas,
  textOf,
  tokenAt,
  unwrap,
} from './slice.ts';
import { type NamedValue, oneLine, pairOf, plainText, wrong } from './values.ts';

/** `f(a := 1)` or `f`: how audits and signals are asked for. */
export interface NamedCall {
  /** Lower case; empty for a bare list of arguments. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly slice: Slice;
}

/** A list of calls; what is not one is reported and left out. */
export function readCalls(
  reader: BlockReader,
  named: NamedValue,
  expected: string,
): readonly NamedCall[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, expected);
  const calls: NamedCall[] = [];
  for (const item of itemsOf(named.value)) {
    const call = readCall(reader, item);
    if (call === undefined) wrong(reader, named, expected, item);
    else calls.push(call);
  }
  return calls;
}

function readCall(reader: BlockReader, item: Slice): NamedCall | undefined {
  const wrapped = unwrap(item);
  if (wrapped !== undefined && isSymbol(tokenAt(item, 0), '('))
    return { name: '', arguments: readArguments(reader, wrapped), slice: item };
  const first = tokenAt(item, 0);
  const name =
    first.kind === 'string' ? stringText(first, reader.dialect) : plainText(part(item, 0, 1), reader);
  if (name === undefined) return undefined;
  if (sizeOf(item) === 1) return { name: name.toLowerCase(), arguments: {}, slice: item };
  const list = unwrap(part(item, 1, sizeOf(item)));
  if (list === undefined || !isSymbol(tokenAt(item, 1), '(')) return undefined;
  return { name: name.toLowerCase(), arguments: readArguments(reader, list), slice: item };
}

function readArguments(reader: BlockReader, list: Slice): Readonly<Record<string, string>> {
  const values: [string, string][] = [];
  for (const item of splitAtCommas(list)) {
    const pair = pairOf(item, reader);
    if (pair === undefined)
      report(reader, 'audit.unnamed-argument', { value: oneLine(textOf(item)) }, rangeOf(item));
    else if (values.some(([key]) => key === pair.key.toLowerCase()))
      report(reader, 'model.duplicate-property', { property: pair.key }, rangeOf(pair.keySlice));
    else values.push([pair.key.toLowerCase(), textOf(pair.value)]);
  }
  return Object.fromEntries(values);
}

/** The audits a model asks for; `blocking` and `on_failure` are settings of the use, not arguments of the audit. */
export function readAuditUses(reader: BlockReader, named: NamedValue): readonly AuditUse[] | undefined {
  const calls = readCalls(reader, named, 'a list of audits such as not_null(columns := (id))');
  return calls
    ?.filter((call) => call.name !== '' || wrong(reader, named, 'an audit with a name', call.slice))
    .map((call) => auditUse(reader, named, call));
}

function auditUse(reader: BlockReader, named: NamedValue, call: NamedCall): AuditUse {
  const { blocking, on_failure: onFailure, ...rest } = call.arguments;
  const isBlocking =
    blocking === undefined
      ? undefined
      : /^(true|1)$/i.test(blocking)
        ? true
        : /^(false|0)$/i.test(blocking)
          ? false
          : undefined;
  if (blocking !== undefined && isBlocking === undefined && !blocking.includes('@'))
    wrong(reader, named, 'blocking := true or false', call.slice);
  const action = onFailure?.replace(/^'|'$/g, '').toLowerCase();
  const isAction = action === 'stop' || action === 'quarantine';
  if (action !== undefined && !isAction)
    wrong(reader, named, "on_failure := 'stop' or 'quarantine'", call.slice);
  return {
    name: call.name,
    arguments: rest,
    ...(isBlocking === undefined ? {} : { isBlocking }),
    ...(isAction ? { onFailure: action } : {}),
    at: rangeOf(call.slice),
  };
}
