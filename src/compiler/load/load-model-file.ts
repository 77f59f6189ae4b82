import type { Audit } from '../../domain/audit.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import { modelName } from '../../domain/model-name.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Comment, Token } from '../../foundation/sql/token.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { buildDefinition } from './build-definition.ts';
import { commentText } from './comment-text.ts';
import { cutSegments, type FileSegment } from './cut-segments.ts';
import { isQuery, type SqlStatement } from './cut-sql-statements.ts';
import { dialectInText } from './dialect-in-text.ts';
import { type BlockReader, report } from './header/block.ts';
import { type Blueprint, readBlueprints } from './header/read-blueprints.ts';
import { cutModelProperties, readModelHeader, reportReserved } from './header/read-model-header.ts';
import { isSymbol } from './header/slice.ts';
import type { Variables } from './header/substitute-variables.ts';
import { maskJinja, withoutJinjaComments } from './jinja-sections.ts';
import { lexicalDiagnostic } from './lexical-diagnostic.ts';
import { readAudit } from './load-audit-file.ts';
import { type ModelBody, readModelBody } from './model-body.ts';
import type { ModelContext, ModelGateway } from './model-context.ts';

/** What one file of models/ gave. */
export interface LoadedModelFile {
  readonly definitions: readonly ModelDefinition[];
  readonly diagnostics: readonly Diagnostic[];
  /** Models the file meant to define but that cannot be used: a model that reads them gets no "does not exist" error. */
  readonly brokenNames: readonly string[];
}

/**
 * Reads one file of models/: its MODEL block, its statements and its query. Pure; bad input gives diagnostics, never an exception.
 *
 *   text ─▶ tokens ─▶ block ─▶ properties ─┬─▶ one header per blueprint ─┬─▶ definitions
 *                  └─▶ statements, query ──┘   (variables put in)        │
 *                                              defaults of the gateway ──┘
 */
export function loadModelFile(written: SourceFile, context: ModelContext): LoadedModelFile {
  if (written.path.endsWith('.py')) return loadPythonFile(written);
  const home = context.gateways.get(context.defaultGateway) as ModelGateway;
  const { text } = written;
  const dialect = dialectInText(text) ?? (gatewayInText(text, context) ?? home).defaults.dialect;
  const { tokens, comments, error } = tokenize(maskJinja(text, dialect), dialect);
  const file = { ...written, text: withoutJinjaComments(text, dialect) };
  const diagnostics: Diagnostic[] = [];
  if (error !== undefined) diagnostics.push(lexicalDiagnostic(error, file.path));
  else if (tokens.length === 1) return { definitions: [], diagnostics: [emptyFile(file)], brokenNames: [] };
  const reader: BlockReader = { block: 'MODEL', dialect, diagnostics };
  // After an unclosed quote everything looks unclosed; the quote alone is reported then.
  const segments = cutSegments(file, tokens, error === undefined ? reader : { ...reader, diagnostics: [] });
  const first = segments[0] as FileSegment;
  const hasBlock = first.word === 'MODEL';
  const properties =
    hasBlock && first.block !== undefined ? [...cutModelProperties(first.block.inner, reader)] : [];
  // A block in which the text cannot be cut any further ends in a property that is not whole.
  if (error !== undefined && first.statements.length === 0) properties.pop();
  if (hasBlock && error === undefined) reportMissingSemicolon(tokens, first.block?.next ?? 0, file, reader);
  reportLaterBlocks(segments, tokens, hasBlock, file, diagnostics);
  const audits = segments
    .filter((segment) => segment.word === 'AUDIT')
    .map((segment) => inlineAudit(segment, file, tokens, reader));
  const statements = [
    ...(first.word === 'AUDIT' ? [] : first.statements),
    ...audits.flatMap((audit) => audit.rest),
  ];
  const body = readModelBody(file, tokens, statements, diagnostics);
  const inlineAudits = audits.flatMap((audit) => audit.audit ?? []);
  const parts = {
    file,
    body,
    inlineAudits,
    comments,
    description: leadingComment(comments, tokens, hasBlock),
    hasLexicalError: error !== undefined,
  };
  const variables = variablesOf(home.variables, {}, context);
  const blueprints = readBlueprints(
    properties.find((p) => p.name === 'blueprints'),
    variables,
    reader,
  );
  const definitions: ModelDefinition[] = [];
  const broken: string[] = [];
  for (const blueprint of blueprints) {
    const made = modelOf(properties, blueprint, parts, context, reader);
    if (made.definition !== undefined) definitions.push(made.definition);
    else if (made.name !== undefined) broken.push(made.name);
  }
  return {
    definitions,
    diagnostics: blueprints.length > 1 ? unique(diagnostics) : diagnostics,
    brokenNames: broken,
  };
}

/** The gateway that the block names: its default dialect decides how the file is cut into tokens. */
function gatewayInText(text: string, context: ModelContext): ModelGateway | undefined {
  if (context.gateways.size === 1) return undefined;
  const word = /[(,]\s*gateway\s+['"]?([\w-]+)/i.exec(text.slice(0, 10_000))?.[1];
  return word === undefined ? undefined : context.gateways.get(word.toLowerCase());
}

interface FileParts {
  readonly file: SourceFile;
  readonly body: ModelBody;
  readonly inlineAudits: readonly Audit[];
  readonly comments: readonly Comment[];
  readonly description: string | undefined;
  readonly hasLexicalError: boolean;
}

function modelOf(
  properties: Parameters<typeof readModelHeader>[0],
  blueprint: Blueprint,
  parts: FileParts,
  context: ModelContext,
  reader: BlockReader,
): { readonly name?: string | undefined; readonly definition?: ModelDefinition | undefined } {
  const gatewayNames = [...context.gateways.keys()];
  const home = context.gateways.get(context.defaultGateway) as ModelGateway;
  let gateway = home;
  let header = readModelHeader(
    properties,
    {
      variables: variablesOf(home.variables, blueprint, context),
      kindDefaults: home.defaults,
      defaultCatalog: home.defaultCatalog,
      gateways: gatewayNames,
    },
    reader,
  );
  const other = header.properties.gateway ?? home.defaults.gateway?.toLowerCase();
  const chosen = other === undefined ? undefined : context.gateways.get(other);
  if (chosen !== undefined && chosen !== home) {
    // Another gateway has its own variables, defaults and catalog: read again with those, keeping only the second reading's reports.
    gateway = chosen;
    if (chosen.isElsewhere === true)
      report(
        reader,
        'model.other-gateway',
        { gateway: other as string, used: context.defaultGateway },
        header.ranges['gateway'] ?? header.ranges['name'] ?? { file: parts.file.path, start: 0, end: 0 },
      );
    header = readModelHeader(
      properties,
      {
        variables: variablesOf(chosen.variables, blueprint, context),
        kindDefaults: chosen.defaults,
        defaultCatalog: chosen.defaultCatalog,
        gateways: gatewayNames,
      },
      { ...reader, diagnostics: [] },
    );
  }
  if (header.isNameWrong) return {};
  const name = header.name ?? nameFromPath(parts.file.path, reader, gateway.defaultCatalog);
  if (name === undefined) return {};
  if (header.isKindWrong || parts.hasLexicalError) return { name };
  const definition = buildDefinition(
    { name, header, blueprint, gateway, gatewayName: other, ...parts, dialect: reader.dialect },
    reader,
  );
  return { name, definition };
}

function variablesOf(
  texts: ReadonlyMap<string, string>,
  blueprint: Blueprint,
  context: ModelContext,
): Variables {
  const entries = Object.entries(blueprint);
  return {
    texts: entries.length === 0 ? texts : new Map([...texts, ...entries]),
    evaluate: context.evaluateMacro,
  };
}

/** `models/a/b.sql` is `a.b`; the last three folders count, as in SQLMesh. */
function nameFromPath(
  path: string,
  reader: BlockReader,
  defaultCatalog: string | undefined,
): string | undefined {
  const steps = path.replace(/\.[^./]*$/, '').split('/');
  const parts = steps.slice(steps.indexOf('models') + 1).slice(-3);
  const name = modelName(
    parts.map((part) => ({ name: part, quoted: false })),
    reader.dialect,
    defaultCatalog,
  );
  reportReserved(reader, name, { file: path, start: 0, end: 0 });
  return name;
}

function reportMissingSemicolon(
  tokens: readonly Token[],
  at: number,
  file: SourceFile,
  reader: BlockReader,
): void {
  const next = tokens[at];
  if (next === undefined || next.kind === 'end' || isSymbol(next, ';')) return;
  reader.diagnostics.push(
    diagnostic(
      'model.missing-semicolon',
      { block: 'MODEL', found: next.text },
      { at: { file: file.path, start: next.start, end: next.end } },
    ),
  );
}

function reportLaterBlocks(
  segments: readonly FileSegment[],
  tokens: readonly Token[],
  hasBlock: boolean,
  file: SourceFile,
  diagnostics: Diagnostic[],
): void {
  const later = segments.find((segment, i) => i > 0 && segment.word === 'MODEL');
  if (later === undefined) return;
  const token = tokens[later.at] as Token;
  const at: SourceRange = { file: file.path, start: token.start, end: token.end };
  diagnostics.push(diagnostic(hasBlock ? 'model.several-blocks' : 'model.block-not-first', {}, { at }));
}

/** The first query after an inline AUDIT block is the audit's; what follows it belongs to the model again. */
function inlineAudit(
  segment: FileSegment,
  file: SourceFile,
  tokens: readonly Token[],
  reader: BlockReader,
): { readonly audit?: Audit | undefined; readonly rest: readonly SqlStatement[] } {
  const at = segment.statements.findIndex((statement) => isQuery(tokens, statement));
  const own = at < 0 ? segment.statements : segment.statements.slice(0, at + 1);
  return {
    audit: readAudit({ ...segment, statements: own }, file, tokens, reader),
    rest: at < 0 ? [] : segment.statements.slice(at + 1),
  };
}

/** Comments above the block describe the model when no description does. */
function leadingComment(
  comments: readonly Comment[],
  tokens: readonly Token[],
  hasBlock: boolean,
): string | undefined {
  if (!hasBlock) return undefined;
  const start = (tokens[0] as Token).start;
  const above = comments
    .filter((comment) => comment.end <= start)
    .map((comment) => commentText(comment.text));
  return above.length === 0 ? undefined : above.join('\n').trim() || undefined;
}

function loadPythonFile(file: SourceFile): LoadedModelFile {
  const found = /^[ \t]*@(?:\w+\.)*model\s*\(/m.exec(file.text);
  if (found === null) return { definitions: [], diagnostics: [], brokenNames: [] };
  const start = found.index + found[0].indexOf('@');
  const at = { file: file.path, start, end: found.index + found[0].length - 1 };
  const name = /^\s*(?:name\s*=\s*)?["']([\w."-]+)["']/.exec(
    file.text.slice(found.index + found[0].length),
  )?.[1];
  return {
    definitions: [],
    diagnostics: [diagnostic('model.python-not-yet', { file: file.path }, { at })],
    brokenNames: name === undefined ? [] : [name.toLowerCase()],
  };
}

function emptyFile(file: SourceFile): Diagnostic {
  return diagnostic('file.empty', { path: file.path }, { at: { file: file.path, start: 0, end: 0 } });
}

/** Blueprints repeat what is wrong with the file once each. */
function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter((d) => {
    const key = `${d.code}\0${d.at?.start}\0${d.at?.end}\0${d.message}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
