import type { Expression, Like } from '../tree.ts';
import { type Printer, refuse } from './printer.ts';

/** What follows LIKE where there is no ESCAPE and a backslash escapes; refused when a part is not a constant. */
export function backslashPattern(p: Printer, { pattern, escape: by, span }: Like): Expression {
  if (by === undefined) return pattern;
  if (pattern.kind !== 'literal' || by.kind !== 'literal' || by.text.length !== 1) {
    refuse(p, 'LIKE … ESCAPE', span);
    return pattern;
  }
  let text = '';
  for (let i = 0; i < pattern.text.length; i++) {
    const character = pattern.text[i] as string;
    if (character === by.text) text += `\\${pattern.text[++i] ?? ''}`;
    else text += character === '\\' ? '\\\\' : character;
  }
  return { ...pattern, text };
}
