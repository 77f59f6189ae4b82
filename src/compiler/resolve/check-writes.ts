import type { Config } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Model } from '../../domain/model.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { writtenTables } from '../../foundation/sql/written-tables.ts';
import type { CompileContext } from './compile-context.ts';

export interface WriteCheckInput {
  readonly models: readonly Model[];
  readonly config: Pick<Config, 'beforeAll' | 'afterAll' | 'file'>;
  readonly compileContext: Pick<CompileContext, 'tableName'>;
  /** Texts of the project's files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Of statements that stand in no model. */
  readonly dialect: Dialect;
}

/**
 * Statements that change the rows of a model they do not belong to: those rows would not be audited. Names that macros or
 * templates make are seen only when the statement is executed, and refused there.
 */
export function checkWrites(input: WriteCheckInput): readonly Diagnostic[] {
  const { models, config } = input;
  const written = new Set(models.filter(({ kind }) => kind.kind !== 'external').map(({ name }) => name));
  const found: Diagnostic[] = [];
  for (const model of models) {
    if (model.source.kind === 'external') continue;
    const { preStatements, postStatements, onVirtualUpdate } = model.source;
    for (const statement of [...preStatements, ...postStatements, ...onVirtualUpdate])
      found.push(...ofStatement(statement, model, { ...input, written }));
  }
  for (const [key, texts] of [
    ['before_all', config.beforeAll],
    ['after_all', config.afterAll],
  ] as const)
    for (const text of texts) found.push(...ofConfig(key, text, { ...input, written }));
  return found;
}

type Checked = WriteCheckInput & { readonly written: ReadonlySet<string> };

function ofStatement(
  { text, start, isJinja, isDefault }: SqlText,
  { name, file, dialect }: Pick<Model, 'name' | 'file' | 'dialect'>,
  { compileContext, written }: Checked,
): readonly Diagnostic[] {
  if (isJinja) return [];
  return writtenTables(text, dialect).flatMap((table) => {
    const target = compileContext.tableName(table.parts, dialect);
    if (target === name || !written.has(target)) return [];
    const at = { file, start: start + table.start, end: start + table.end };
    return diagnostic('model.writes-other-table', { writer: name, target }, isDefault === true ? {} : { at });
  });
}

function ofConfig(key: string, text: string, input: Checked): readonly Diagnostic[] {
  const { compileContext, written, dialect } = input;
  return writtenTables(text, dialect).flatMap((table) => {
    const target = compileContext.tableName(table.parts, dialect);
    if (!written.has(target)) return [];
    const at = placeIn(input, key, text.slice(table.start, table.end));
    return diagnostic('model.writes-other-table', { writer: key, target }, at === undefined ? {} : { at });
  });
}

/** Where the name stands below its key; the key itself when a template or a folded line hides it. */
function placeIn({ config, files }: WriteCheckInput, key: string, name: string): SourceRange | undefined {
  const source = config.file === undefined ? undefined : files.get(config.file);
  const begin = source === undefined ? null : new RegExp(`^${key}(?=\\s*:)`, 'm').exec(source);
  if (config.file === undefined || source === undefined || begin === null) return undefined;
  const at = source.indexOf(name, begin.index);
  return at === -1
    ? { file: config.file, start: begin.index, end: begin.index + key.length }
    : { file: config.file, start: at, end: at + name.length };
}
