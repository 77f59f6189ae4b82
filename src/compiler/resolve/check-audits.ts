import type { Audit, AuditUse } from '../../domain/audit.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { parseExpression, parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { resolveQuery } from '../../foundation/sql/resolve/resolve-query.ts';
import { tableUses } from '../../foundation/sql/table-uses.ts';
import type { Expression, Query } from '../../foundation/sql/tree.ts';
import { walk } from '../../foundation/sql/walk.ts';
import { argumentProblem } from '../load/argument-problem.ts';
import { builtInAudit, ROW_AUDITS } from '../load/built-in-audits.ts';
import { rowCondition } from '../load/row-condition.ts';
import { expandWithAnswers } from './analyze-model.ts';
import type { CompileContext } from './compile-context.ts';
import { internalError } from './file-diagnostic.ts';
import { placeOfColumn } from './place-of-column.ts';

/** Arguments of built-in audits that are SQL over the rows of the model; the others are values. */
const OVER_ROWS = new Set([
  'column',
  'columns',
  'condition',
  'criteria',
  'lower_bound_column',
  'upper_bound_column',
  'source_column',
  'target_column',
  'column_a',
  'column_b',
  'partition_clause',
]);

/** What was found out about audits. */
export interface CheckedAudits {
  readonly diagnostics: readonly Diagnostic[];
  readonly reads: NonNullable<Project['auditReads']>;
}

/** Whether every audit that a model asks for can be read and names only columns the model has, and which tables it reads. Unknown audits are reported elsewhere. */
export async function checkAudits(
  models: readonly Model[],
  audits: readonly Audit[],
  {
    compileContext,
    files,
  }: { readonly compileContext: CompileContext; readonly files: ReadonlyMap<string, string> },
): Promise<CheckedAudits> {
  const reads: Record<string, Record<string, readonly string[]>> = {};
  const own = new Map(audits.map((audit) => [audit.name, audit]));
  const found = new Map<string, Diagnostic>();
  const report = (each: Diagnostic): unknown =>
    found.set(`${each.code}\0${each.at?.file}\0${each.at?.start}\0${each.message}`, each);
  for (const model of models)
    for (const use of model.audits) {
      const audit = model.inlineAudits.find(({ name }) => name === use.name) ?? own.get(use.name);
      try {
        if (audit !== undefined) {
          const tables = await checkOwn(model, use, audit, compileContext, report);
          const known = reads[model.name] ?? {};
          reads[model.name] = known;
          // A model may ask for the same audit twice, with other arguments.
          if (tables !== undefined) known[use.name] = [...new Set([...(known[use.name] ?? []), ...tables])];
        } else if (builtInAudit(use.name) !== undefined) checkBuiltIn(model, use, files, report);
      } catch (error) {
        if (error instanceof Failure) throw error;
        report(internalError(model, error));
      }
    }
  return { diagnostics: [...found.values()], reads };
}

/** Only rows that fail by themselves can be held back, and only where rows are written. */
function checkQuarantine(
  { name: model, kind }: Model,
  use: AuditUse,
  holdsRows: boolean,
  report: (each: Diagnostic) => unknown,
): void {
  if (holdsRows && kind.kind !== 'view' && kind.kind !== 'embedded') return;
  report(diagnostic('audit.cannot-quarantine', { audit: use.name, model }, { at: use.at }));
}

function checkBuiltIn(
  model: Model,
  use: AuditUse,
  files: ReadonlyMap<string, string>,
  report: (each: Diagnostic) => unknown,
): void {
  if (use.onFailure === 'quarantine')
    checkQuarantine(model, use, ROW_AUDITS.has(builtInAudit(use.name)?.name ?? ''), report);
  const useless = argumentProblem(use.name, use.arguments, model.dialect);
  if (useless !== undefined)
    report(
      diagnostic('audit.bad-argument', { ...useless, audit: use.name, model: model.name }, { at: use.at }),
    );
  const known = new Set(model.columns.map(({ name }) => name.toLowerCase()));
  for (const [argument, text] of Object.entries(use.arguments)) {
    if (!OVER_ROWS.has(argument) || text.includes('@') || argument === useless?.argument) continue;
    // SQLMesh has the words of the clause in it.
    const parsed = parseExpression(text.replace(/^\s*PARTITION\s+BY\s+/i, ''), model.dialect);
    if (!parsed.ok)
      report(
        diagnostic(
          'audit.bad-argument',
          { argument, audit: use.name, model: model.name, problem: parsed.error.message },
          { at: use.at },
        ),
      );
    else if (model.hasAllColumns)
      for (const column of columnsIn(parsed.value))
        if (!known.has(column)) report(unknownColumn(model, use, column, files));
  }
}

/** Columns an expression names by one word, outside of queries of its own and of lambdas. */
function columnsIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  walk(expression, (node) => {
    if (node.kind === 'query' || node.kind === 'lambda' || node.kind === 'comprehension') return false;
    if (node.kind === 'column' && node.qualifiers.length === 0) names.add(node.name.name.toLowerCase());
    return undefined;
  });
  return names;
}

/** Answers with the tables that the audit reads. */
async function checkOwn(
  model: Model,
  use: AuditUse,
  audit: Audit,
  compileContext: CompileContext,
  report: (each: Diagnostic) => unknown,
): Promise<readonly string[] | undefined> {
  const context = compileContext.macroContext(model, (table) =>
    table === model.name ? model.columns : undefined,
  );
  const sqlVariables = { ...audit.defaults, ...use.arguments };
  const { statements, diagnostics } = await expandWithAnswers(
    [...audit.statements, audit.query],
    { ...context, file: audit.file, sqlVariables },
    compileContext.userCode,
  );
  for (const each of diagnostics) report(each);
  const expanded = statements.at(-1);
  if (expanded === undefined || expanded.text === '' || diagnostics.length > 0) return undefined;
  const parsed = parseQuery(expanded.text, audit.dialect);
  const place = (span: { readonly start: number; readonly end: number }) => ({
    file: audit.file,
    ...expanded.map.original(span.start, span.end),
  });
  if (!parsed.ok) {
    // What only the SQL library can read is left to the engine.
    if (parsed.error.kind !== 'unsupported')
      report(
        diagnostic(
          `sql.${parsed.error.kind}`,
          { problem: parsed.error.message },
          { at: place(parsed.error.span) },
        ),
      );
    return undefined;
  }
  if ((use.onFailure ?? audit.onFailure) === 'quarantine') {
    const [only, ...others] = tablesIn(parsed.value, compileContext, audit);
    const holdsRows = rowCondition(parsed.value, expanded.text) !== undefined && only === model.name;
    checkQuarantine(model, use, holdsRows && others.length === 0, report);
  }
  const name = (parts: readonly string[]): string =>
    compileContext.tableName(
      parts.map((part) => ({ name: part, quoted: true })),
      audit.dialect,
    );
  const { problems } = resolveQuery(
    parsed.value,
    (parts) => (name(parts) === model.name && model.hasAllColumns ? { columns: model.columns } : undefined),
    { dialect: audit.dialect },
  );
  for (const { kind, name: column, isCertain, span, candidates } of problems)
    if (kind === 'unknown-column' && isCertain)
      report(
        diagnostic(
          'audit.unknown-column',
          { audit: audit.name, model: model.name, column },
          { at: place(span), hint: didYouMean(column, candidates) },
        ),
      );
  const used = tableUses(parsed.value).filter(({ isFile }) => !isFile);
  const tables = new Set(used.map(({ parts }) => compileContext.tableName(parts, audit.dialect)));
  if (audit.isStandalone && tables.has(model.name))
    report(diagnostic('audit.standalone-this-model', { name: audit.name }, { at: audit.at }));
  return [...tables].sort();
}

/** Tables in FROM of the query itself. */
function tablesIn({ body }: Query, compileContext: CompileContext, { dialect }: Audit): readonly string[] {
  if (body.kind !== 'select') return [];
  return body.from.map((table) =>
    table.kind === 'table' ? compileContext.tableName(table.parts, dialect) : '',
  );
}

function unknownColumn(
  model: Model,
  use: AuditUse,
  column: string,
  files: ReadonlyMap<string, string>,
): Diagnostic {
  const hint = didYouMean(
    column,
    model.columns.map(({ name }) => name),
  );
  return diagnostic(
    'audit.unknown-column',
    { audit: use.name, model: model.name, column },
    { at: placeOfColumn(use.at, column, files, model.dialect), hint },
  );
}
