import type { SourceFile } from '../../domain/source-file.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { cutSqlStatements, type SqlStatement } from './cut-sql-statements.ts';
import { type BlockReader, type BlockTokens, cutBlock, isBlockStart } from './header/block.ts';

/** A block with what follows it up to the next one; the first segment of a file may have no block. */
export interface FileSegment {
  readonly word?: 'MODEL' | 'AUDIT';
  /** Index of the block's first token. */
  readonly at: number;
  readonly block?: BlockTokens;
  readonly statements: readonly SqlStatement[];
}

/** Cuts a file at its MODEL and AUDIT blocks, which stand at the beginnings of statements. Unclosed blocks and sections are reported. */
export function cutSegments(
  file: SourceFile,
  tokens: readonly Token[],
  reader: BlockReader,
): readonly FileSegment[] {
  const segments: FileSegment[] = [];
  const source = { file: file.path, text: file.text };
  let at = 0;
  do {
    const word = isBlockStart(tokens, at, 'MODEL')
      ? 'MODEL'
      : isBlockStart(tokens, at, 'AUDIT')
        ? 'AUDIT'
        : undefined;
    const block = word === undefined ? undefined : cutBlock(source, tokens, at, { ...reader, block: word });
    const { statements, next } = cutSqlStatements(file.path, file.text, tokens, block?.next ?? at, reader);
    segments.push({
      ...(word === undefined ? {} : { word }),
      at,
      ...(block === undefined ? {} : { block }),
      statements,
    });
    at = next;
  } while (at < tokens.length - 1);
  return segments;
}
