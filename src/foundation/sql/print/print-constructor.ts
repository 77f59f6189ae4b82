import type { Expression, Star } from '../tree.ts';
import { nameText, stringText, writePath } from './print-name.ts';
import { joined, type Printer, refuse } from './printer.ts';

export function writeList(p: Printer, node: Extract<Expression, { kind: 'list' }>): void {
  const { list } = p.target;
  if (list === 'none') refuse(p, 'a list', node.span);
  p.out += list === 'array-call' ? 'ARRAY(' : list === 'array-brackets' ? 'ARRAY[' : '[';
  joined(p, node.items, (item) => p.expression(p, item));
  p.out += list === 'array-call' ? ')' : ']';
}

export function writeStruct(p: Printer, node: Extract<Expression, { kind: 'struct' }>): void {
  const { struct } = p.target;
  const isUnnamed = !p.isTranslating && node.fields.some(({ name }) => name === undefined);
  if (struct === 'struct-as' || isUnnamed) {
    p.out += 'STRUCT(';
    joined(p, node.fields, ({ name, value }) => {
      p.expression(p, value);
      if (name !== undefined) p.out += ` AS ${nameText(p, name)}`;
    });
    p.out += ')';
    return;
  }
  if (struct === 'none') refuse(p, 'a struct', node.span);
  const isObject = struct === 'object' && p.isTranslating;
  p.out += isObject ? 'OBJECT_CONSTRUCT(' : '{';
  joined(p, node.fields, ({ name, value }) => {
    p.out += stringText(p, name?.name ?? '');
    p.out += isObject ? ', ' : ': ';
    p.expression(p, value);
  });
  p.out += isObject ? ')' : '}';
}

export function writeStar(p: Printer, star: Star): void {
  for (const part of star.qualifiers) p.out += `${nameText(p, part)}.`;
  p.out += '*';
  if (star.exclude.length > 0) {
    if (p.target.starExclude === undefined) refuse(p, '* EXCLUDE', star.span);
    p.out += ` ${p.target.starExclude ?? 'EXCLUDE'} `;
    p.out += '(';
    joined(p, star.exclude, (column) => writePath(p, [...(column.qualifiers ?? []), column]));
    p.out += ')';
  }
  if (star.replace.length > 0) {
    if (!p.target.hasStarReplace) refuse(p, '* REPLACE', star.span);
    p.out += ' REPLACE (';
    joined(p, star.replace, ({ expression, alias }) => {
      p.expression(p, expression);
      if (alias !== undefined) p.out += ` AS ${nameText(p, alias)}`;
    });
    p.out += ')';
  }
  if (star.rename.length > 0) {
    if (p.isTranslating && p.to !== 'snowflake' && p.to !== 'duckdb') refuse(p, '* RENAME', star.span);
    p.out += ' RENAME (';
    joined(p, star.rename, ({ from, to }) => {
      p.out += `${nameText(p, from)} AS ${nameText(p, to)}`;
    });
    p.out += ')';
  }
}
