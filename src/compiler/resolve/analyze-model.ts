import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { UserCode, UserResult } from '../../domain/user-code.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { prepareJinja } from '../../foundation/jinja/render-jinja.ts';
import { canonicalText } from '../../foundation/sql/canonical/canonical.ts';
import { canonicalTokens } from '../../foundation/sql/canonical/canonical-tokens.ts';
import type { LimitedClient } from '../../foundation/sql/library/library-client.ts';
import { readWithLibrary } from '../../foundation/sql/library/read-with-library.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { queryNodes } from '../../foundation/sql/query-nodes.ts';
import { tableUses } from '../../foundation/sql/table-uses.ts';
import { expandMacros } from '../macros/expand-macros.ts';
import type { Expansion, ExpansionContext, OffsetMap } from '../macros/expansion.ts';
import { checkModelSql } from './check-model-sql.ts';
import { checkPivots } from './check-pivots.ts';
import type { CompileContext } from './compile-context.ts';
import { dependsOnRuntime } from './depends-on-runtime.ts';
import { fileTables } from './file-tables.ts';
import type { ModelAnalysis, ModelTableUse } from './model-facts.ts';
import type { ParsedModel } from './parsed-model.ts';
import type { QueryToInspect } from './rule-hit.ts';

export interface AnalyzedModel {
  readonly analysis: ModelAnalysis;
  readonly parsed?: ParsedModel;
}

const ROUNDS_MAX = 20;
const CALLS_MAX = 10_000;

const TRANSIENT: ReadonlySet<string> = new Set(['macro.user-code-failed', 'sql.timeout']);

/** Expands a model's macros and reads its query: all that can be said of it without knowing any other model. */
export async function analyzeModel(
  definition: ModelDefinition,
  compileContext: CompileContext,
  columnsOf: ExpansionContext['columnsOf'],
): Promise<AnalyzedModel> {
  const found = await readModel(definition, compileContext, columnsOf);
  const { diagnostics } = found.analysis;
  const isTransient =
    diagnostics.some(({ code }) => TRANSIENT.has(code)) ||
    (diagnostics.length > 0 && compileContext.library.isSpent());
  return isTransient ? { ...found, analysis: { ...found.analysis, isTransient } } : found;
}

async function readModel(
  definition: ModelDefinition,
  compileContext: CompileContext,
  columnsOf: ExpansionContext['columnsOf'],
): Promise<AnalyzedModel> {
  if (definition.source.kind === 'seed')
    return readSeed(definition, definition.source, compileContext, columnsOf);
  if (definition.source.kind !== 'sql') return { analysis: { inputs: {}, tables: [], diagnostics: [] } };
  const { query, preStatements, postStatements, onVirtualUpdate } = definition.source;
  const context = compileContext.macroContext(definition, columnsOf);
  const expansion = await expandWithAnswers(
    [...preStatements, query, ...postStatements, ...onVirtualUpdate],
    context,
    compileContext.userCode,
  );
  const inputs = compileContext.inputsOf(definition, expansion);
  const expanded = expansion.statements[preStatements.length];
  const beside = [...preStatements, undefined, ...postStatements, ...onVirtualUpdate];
  const diagnostics: Diagnostic[] = [
    ...expansion.diagnostics,
    ...(await checkModelSql(definition, beside, expansion, compileContext.library)),
  ];
  if (expanded === undefined) return { analysis: { inputs, tables: [], diagnostics } };
  // An expansion that ended early, also at a @DEF before the query, left no query to complain about.
  const isCutShort = expanded.text.trim() === '' && expansion.diagnostics.some(isError);
  if (isCutShort || expansion.diagnostics.some((found) => spoils(found, query))) {
    // A wrong macro stands as NULL: not fit to be run or typed, but the tables around it are still read.
    const rest = parseQuery(expanded.text, definition.dialect);
    const parsed = rest.ok && { query: rest.value, ...expanded, hasForeignSpans: false };
    const tables = parsed ? tablesOf(definition, parsed, compileContext, expansion.usedTables) : [];
    return { analysis: { inputs, tables, diagnostics } };
  }

  const parsed = await readQuery(definition, expanded, compileContext.library, diagnostics);
  if (parsed === undefined) return { analysis: { inputs, tables: [], diagnostics } };
  diagnostics.push(...checkPivots(definition, parsed));
  const shown = await shownExpansion(
    [...preStatements, query, ...postStatements, ...onVirtualUpdate],
    context,
    { expansion, compileContext },
  );
  const shownQuery = shown.statements[preStatements.length];
  const nodes = queryNodes(parsed.query);
  const files = parsed.hasForeignSpans ? [] : fileTables(nodes, parsed.text);
  return {
    analysis: {
      inputs,
      tables: tablesOf(definition, parsed, compileContext, expansion.usedTables),
      ...(files.length === 0 ? {} : { files }),
      queryHash: hash128(
        shown === expansion || shownQuery === undefined
          ? canonicalText(parsed.query, definition.dialect)
          : canonicalOf(shownQuery.text, definition.dialect),
      ),
      ...statementHashes(definition, definition.source, shown.statements.toSpliced(preStatements.length, 1)),
      ...hiddenHash(
        definition,
        [...preStatements, query, ...postStatements],
        compileContext.shownInputs(inputs),
      ),
      ...sightsOf(definition, { parsed, nodes, readsTimes: readsTimes(expansion) }, compileContext),
      commonTables: parsed.query.with?.tables.map(({ name }) => name.name.toLowerCase()) ?? [],
      diagnostics,
    },
    parsed,
  };
}

const readsTimes = ({ usedContext }: Expansion): boolean => usedContext.includes('times');

/** Places in a text that the library wrote are not the user's: rules cannot look at it. */
function sightsOf(
  definition: ModelDefinition,
  read: QueryToInspect,
  { inspectQuery }: CompileContext,
): Pick<ModelAnalysis, 'hits'> {
  if (inspectQuery === undefined || read.parsed.hasForeignSpans) return {};
  return { hits: inspectQuery(definition, read) };
}

/**
 * The expansion that counts for fingerprints: values of the environment are read again at each run, so what they happen
 * to be now does not belong to what a model is. The same object when the texts read none.
 */
async function shownExpansion(
  texts: readonly SqlText[],
  context: ExpansionContext,
  { expansion, compileContext }: { readonly expansion: Expansion; readonly compileContext: CompileContext },
): Promise<Expansion> {
  const { shownVariables, userCode } = compileContext;
  if (shownVariables === undefined) return expansion;
  const isOther = (name: string): boolean =>
    name === '*' || JSON.stringify(shownVariables[name]) !== JSON.stringify(context.variables[name]);
  if (!expansion.usedVariables.some(isOther)) return expansion;
  return expandWithAnswers(texts, { ...context, variables: shownVariables }, userCode);
}

/** A template may stand where our parser expects something else: then its words count. */
function canonicalOf(text: string, dialect: ModelDefinition['dialect']): string {
  const query = parseQuery(text, dialect);
  return query.ok ? canonicalText(query.value, dialect) : canonicalTokens(text, dialect);
}

/** Of texts whose expansion at load does not show all that may be executed: their text, and their inputs. */
function hiddenHash(
  { dialect }: ModelDefinition,
  texts: readonly SqlText[],
  inputs: ModelAnalysis['inputs'],
): Pick<ModelAnalysis, 'hiddenHash'> {
  if (!dependsOnRuntime(texts)) return {};
  const written = texts.map(({ text }) => canonicalTokens(text, dialect));
  return { hiddenHash: hash128(JSON.stringify(inputs), ...written) };
}

/** What is executed around a write belongs to the data, what is executed at promotion does not: so they are distinguished. */
function statementHashes(
  { dialect }: ModelDefinition,
  { preStatements, postStatements }: Exclude<ModelDefinition['source'], { kind: 'external' }>,
  expanded: readonly { readonly text: string }[],
): Pick<ModelAnalysis, 'statementsHash' | 'virtualUpdateHash'> {
  if (expanded.length === 0) return {};
  const texts = expanded.map(({ text }) => canonicalTokens(text, dialect));
  const pre = texts.slice(0, preStatements.length);
  const post = texts.slice(pre.length, pre.length + postStatements.length);
  const atPromotion = texts.slice(pre.length + post.length);
  return {
    ...(pre.length + post.length === 0
      ? {}
      : { statementsHash: hash128(String(pre.length), ...pre, ...post) }),
    ...(atPromotion.length === 0 ? {} : { virtualUpdateHash: hash128(...atPromotion) }),
  };
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

/** A seed has no query, but may have statements around its loading. */
async function readSeed(
  definition: ModelDefinition,
  source: Extract<ModelDefinition['source'], { kind: 'seed' }>,
  compileContext: CompileContext,
  columnsOf: ExpansionContext['columnsOf'],
): Promise<AnalyzedModel> {
  const { preStatements, postStatements, onVirtualUpdate } = source;
  const written = [...preStatements, ...postStatements, ...onVirtualUpdate];
  if (written.length === 0) return { analysis: { inputs: {}, tables: [], diagnostics: [] } };
  const context = compileContext.macroContext(definition, columnsOf);
  const expansion = await expandWithAnswers(written, context, compileContext.userCode);
  const diagnostics = [
    ...expansion.diagnostics,
    ...(await checkModelSql(definition, written, expansion, compileContext.library)),
  ];
  const inputs = compileContext.inputsOf(definition, expansion);
  const shown = await shownExpansion(written, context, { expansion, compileContext });
  const hashes = {
    ...statementHashes(definition, source, shown.statements),
    ...hiddenHash(definition, [...preStatements, ...postStatements], compileContext.shownInputs(inputs)),
  };
  return { analysis: { inputs, tables: [], ...hashes, diagnostics } };
}

/** A wrong statement beside the query leaves its tables and columns known; an error without a place in the file may be about the query. */
function spoils(found: Diagnostic, { text, start }: SqlText): boolean {
  if (!isError(found)) return false;
  const { at } = found;
  return at === undefined || (at.start < start + text.length && at.end >= start);
}

/** Expands until every call of a user's function is answered; answers may make new calls. */
export async function expandWithAnswers(
  statements: Parameters<typeof expandMacros>[0],
  context: ExpansionContext,
  userCode: UserCode,
): Promise<Expansion> {
  if (statements.some(({ isJinja }) => isJinja)) await prepareJinja();
  let expansion = expandMacros(statements, context);
  if (expansion.needs.length === 0) return expansion;
  const answers = new Map<string, UserResult>(context.answers);
  for (let round = 0; round < ROUNDS_MAX && expansion.needs.length > 0; round++) {
    if (answers.size + expansion.needs.length > CALLS_MAX)
      return unfinished(expansion, statements, context, 'macro.too-large', `${CALLS_MAX} calls of functions`);
    for (const { key, call } of expansion.needs) answers.set(key, await userCode.call('macros', call));
    expansion = expandMacros(statements, { ...context, answers });
  }
  return expansion.needs.length === 0
    ? expansion
    : unfinished(expansion, statements, context, 'macro.too-deep', String(ROUNDS_MAX));
}

/** A function whose answers call functions again and again: the text still has holes, so it is in error. */
function unfinished(
  expansion: Expansion,
  statements: Parameters<typeof expandMacros>[0],
  { file }: ExpansionContext,
  code: 'macro.too-large' | 'macro.too-deep',
  max: string,
): Expansion {
  const own = statements.filter(({ isDefault }) => isDefault !== true);
  const [first, last] = [own[0], own.at(-1)];
  const at = { file, start: first?.start ?? 0, end: (last?.start ?? 0) + (last?.text.length ?? 0) };
  return { ...expansion, diagnostics: [...expansion.diagnostics, diagnostic(code, { max }, { at })] };
}

async function readQuery(
  definition: ModelDefinition,
  { text, map }: { readonly text: string; readonly map: OffsetMap },
  library: LimitedClient,
  diagnostics: Diagnostic[],
): Promise<ParsedModel | undefined> {
  const own = parseQuery(text, definition.dialect);
  if (own.ok) return { query: own.value, text, map, hasForeignSpans: false };
  const { error } = own;
  if (error.kind === 'syntax' || error.kind === 'unsupported') {
    const foreign = await readWithLibrary(text, definition.dialect, library);
    if (foreign.ok)
      return { query: foreign.value.query, text: foreign.value.text, map, hasForeignSpans: true };
    if (foreign.error.kind === 'timeout') {
      const at = { file: definition.file, ...map.original(0, text.length) };
      diagnostics.push(diagnostic('sql.timeout', { problem: foreign.error.message }, { at }));
      return undefined;
    }
  }
  const at = { file: definition.file, ...map.original(error.span.start, error.span.end) };
  const hint = jinjaHint(text, error.span.start) ?? keywordHint(text, error.span);
  diagnostics.push(diagnostic(`sql.${error.kind}`, { problem: error.message }, { at, hint }));
  return undefined;
}

/** A misspelt keyword is read as a name, and the query stops to be SQL at the next word: `GRUOP BY`. */
function keywordHint(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): string | undefined {
  const words = [/([A-Za-z_]+)\s*$/.exec(text.slice(0, start))?.[1], text.slice(start, end)];
  for (const word of words) {
    if (word === undefined || word.length < 4 || KEYWORDS.includes(word.toUpperCase())) continue;
    const hint = didYouMean(word.toUpperCase(), KEYWORDS);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

const KEYWORDS: readonly string[] =
  'SELECT FROM WHERE GROUP HAVING ORDER LIMIT QUALIFY WINDOW UNION INTERSECT EXCEPT JOIN INNER LEFT RIGHT FULL OUTER CROSS WITH WHEN THEN ELSE CASE BETWEEN DISTINCT PARTITION VALUES'.split(
    ' ',
  );

/** Where the query stops to be SQL at `{{` or `{%`. */
const jinjaHint = (text: string, at: number): string | undefined =>
  /^\{[{%]/.test(text.slice(at, at + 2))
    ? 'a model is read by its name, FROM schema.model, without ref(); other Jinja stands between JINJA_QUERY_BEGIN; and JINJA_END;'
    : undefined;

function tablesOf(
  definition: ModelDefinition,
  parsed: ParsedModel,
  compileContext: CompileContext,
  asked: readonly string[],
): readonly ModelTableUse[] {
  const found = new Map<string, ModelTableUse>();
  for (const use of tableUses(parsed.query)) {
    if (use.isFile) continue;
    const name = compileContext.tableName(use.parts, definition.dialect);
    if (found.has(name)) continue;
    const at = parsed.hasForeignSpans
      ? definition.ranges['query']
      : parsed.map.original(use.nameSpan.start, use.nameSpan.end);
    found.set(name, { name, start: at?.start ?? 0, end: at?.end ?? 0 });
  }
  for (const table of asked) {
    const name = compileContext.tableName(
      table.split('.').map((name) => ({ name, quoted: false })),
      definition.dialect,
    );
    found.set(name, { ...(found.get(name) ?? { name, ...parsed.map.original(0, 0) }), isAsked: true });
  }
  return [...found.values()];
}
