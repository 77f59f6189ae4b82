import { type Dialect, lexicalRules } from '../dialect.ts';
import type { FormatLeaf } from './format-nodes.ts';
import type { FormatOptions } from './format-options.ts';

/** Function names and bare names in the letter case that the options ask for. Blocks, macros and types keep theirs. */
export function withCases(
  leaves: readonly FormatLeaf[],
  { dialect, options }: { readonly dialect: Dialect; readonly options: FormatOptions },
): readonly FormatLeaf[] {
  const { functionCase, foldsNames } = options;
  if (functionCase === 'off' && !foldsNames) return leaves;
  const isUpper = lexicalRules(dialect).identifierCase === 'upper';
  const fold = (text: string): string => (isUpper ? text.toUpperCase() : text.toLowerCase());
  let isBlock = false;
  /** Whether each open parenthesis belongs to a cast. */
  const casts: boolean[] = [];
  let isType = false;
  return leaves.map((leaf, i) => {
    const before = leaves[i - 1];
    if (before === undefined || before.key === ';') isBlock = BLOCKS.has(leaf.key);
    if (leaf.key === '(') casts.push(CASTS.has(before?.key ?? ''));
    else if (leaf.key === ')') casts.pop();
    isType =
      leaf.key === '::' ||
      (leaf.keyword === 'AS' && casts.at(-1) === true) ||
      (isType && leaf.token.kind === 'word' && leaf.keyword === '');
    if (isBlock || leaf.token.kind !== 'word' || leaf.keyword !== '' || isGlued(leaves, i)) return leaf;
    const isCall = leaves[i + 1]?.key === '(' && leaves[i + 1]?.touches === true;
    if (isCall)
      return functionCase === 'off' || isType
        ? leaf
        : { ...leaf, text: functionCase === 'upper' ? leaf.text.toUpperCase() : leaf.text.toLowerCase() };
    return foldsNames && !isType ? { ...leaf, text: fold(leaf.text) } : leaf;
  });
}

const BLOCKS = new Set(['MODEL', 'AUDIT', 'METRIC', 'TEST']);
const CASTS = new Set(['CAST', 'TRY_CAST']);

/** A part of a macro: its name, or a word that it touches. */
function isGlued(leaves: readonly FormatLeaf[], i: number): boolean {
  const [before, leaf, after] = [leaves[i - 1], leaves[i] as FormatLeaf, leaves[i + 1]];
  return (
    before?.token.kind === 'at' ||
    (leaf.touches && (before?.key === '}' || before?.key === '{')) ||
    (after?.touches === true && after.token.kind === 'at')
  );
}
