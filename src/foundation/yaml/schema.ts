/**
 * One declaration per file kind, three uses: reading a YAML tree into a typed value with every problem found and placed,
 * the words of those problems, and the JSON Schema that editors use. Combinators are in scalar-schemas.ts and collection-schemas.ts.
 */
import type { YamlNode, YamlScalar } from './tree.ts';

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a value may be, how it is read and how it is published. */
export interface Schema<Value> {
  /** In words, to follow "expected": `a number of at least 1`. */
  readonly expected: string;
  /** Whether a node has the right shape to be read by this one; decides between alternatives. */
  readonly accepts: (node: YamlNode) => boolean;
  /** Undefined when a problem was reported. */
  readonly read: (node: YamlNode, reader: SchemaReader) => Value | undefined;
  readonly json: (context: JsonContext) => JsonSchema;
  /** What is inside, so that all keys of a file can be listed; absent for a value without parts. */
  readonly parts?: () => SchemaParts;
}

/** What a schema is made of. */
export type SchemaParts =
  /** Known keys. */
  | { readonly kind: 'keys'; readonly fields: Readonly<Record<string, KeyField>>; readonly notYet?: string }
  /** Other schemas; `step` is what stands between them in a path, empty for a list or an alternative. */
  | {
      readonly kind: 'inside';
      readonly schemas: readonly { readonly step: string; readonly schema: Schema<unknown> }[];
    }
  /** A schema that is published once under its own name. */
  | { readonly kind: 'named'; readonly name: string; readonly schema: Schema<unknown> }
  /** Anything at all; `why` nothing inside is checked here. */
  | { readonly kind: 'open'; readonly why: string };

/** One key as it is declared. */
export interface KeyField {
  readonly schema: Schema<unknown>;
  readonly description: string;
  /** Other spellings of the key, accepted and not advertised first. */
  readonly aliases: readonly string[];
  /** Why the key does nothing here: it is accepted with a note. */
  readonly withoutEffect?: string;
  /** What is not there yet: it is accepted with a warning. */
  readonly notYet?: string;
}

/** The value a schema reads. */
export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

/** Collects named definitions while a JSON Schema is made; `allowsTemplates` for files in which any value may be `{{ … }}`. */
export interface JsonContext {
  readonly definitions: Record<string, JsonSchema>;
  readonly allowsTemplates: boolean;
}

/** Something in a file that its schema does not allow. */
export type SchemaProblem = SchemaFinding & {
  /** Dotted keys from the top of the file. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** What may be shown of a value from outside the file; see YamlScalar. */
  readonly shownAs?: string;
};

export type SchemaFinding =
  | {
      readonly kind: 'unknown-key';
      readonly key: string;
      readonly owner: string;
      readonly known: readonly string[];
    }
  | { readonly kind: 'missing-key'; readonly key: string; readonly owner: string }
  | { readonly kind: 'empty-value'; readonly key: string; readonly owner: string; readonly hint: string }
  /** Two spellings of one key. */
  | { readonly kind: 'same-key'; readonly key: string; readonly name: string; readonly owner: string }
  | { readonly kind: 'wrong-type'; readonly found: string; readonly expected: string }
  | {
      readonly kind: 'bad-value';
      readonly value: string;
      readonly expected: string;
      readonly known: readonly string[];
    }
  | { readonly kind: 'no-effect'; readonly key: string; readonly why: string }
  | { readonly kind: 'not-yet'; readonly key: string; readonly why: string };

/** A value that must not be shown, by its keys from the top. */
export interface SensitiveValue {
  readonly path: readonly string[];
  readonly shown: string;
  /** The value itself, to find where it went; never kept. */
  readonly value: unknown;
}

/** What reading one file gathers besides its value. */
export class SchemaReader {
  readonly text: string;
  readonly problems: SchemaProblem[] = [];
  readonly sensitive: SensitiveValue[] = [];
  readonly path: string[] = [];

  constructor(text: string) {
    this.text = text;
  }

  report(
    finding: SchemaFinding,
    at: {
      readonly start: number;
      readonly end: number;
      readonly shownAs?: string;
      readonly isUnknown?: boolean;
    },
  ): undefined {
    if (this.isFull || at.isUnknown === true) return;
    const place = { path: this.path.join('.'), start: at.start, end: at.end };
    this.problems.push({
      ...finding,
      ...place,
      ...(at.shownAs === undefined ? {} : { shownAs: at.shownAs }),
    });
  }

  /** Whether so much is wrong that nothing more is reported. */
  get isFull(): boolean {
    return this.problems.length >= PROBLEMS_MAX;
  }

  wrongType(node: YamlNode, expected: string): undefined {
    this.report(
      { kind: 'wrong-type', found: describe(node), expected },
      node.kind === 'scalar' ? node : firstLine(node),
    );
  }

  badValue(node: YamlScalar, expected: string, known: readonly string[] = []): undefined {
    this.report({ kind: 'bad-value', value: node.shownAs ?? node.text, expected, known }, node);
  }
}

/** A hostile file must not make a million diagnostics. */
const PROBLEMS_MAX = 200;

/** What a node is, in words. */
export function describe(node: YamlNode): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  const shown = node.shownAs ?? node.text;
  if (typeof node.value === 'string')
    return `the text ${JSON.stringify(shown.length > 60 ? `${shown.slice(0, 57)}…` : shown)}`;
  return typeof node.value === 'number' ? `the number ${shown}` : shown;
}

/** A place for a message about a collection as a whole: its first key or item, not all of its lines. */
export function firstLine(node: YamlNode): { readonly start: number; readonly end: number } {
  if (node.kind === 'map') return node.entries[0]?.key ?? node;
  if (node.kind === 'list' && node.items[0] !== undefined)
    return { start: node.start, end: firstLine(node.items[0]).end };
  return node;
}

/** A whole document for one kind of file. */
export function documentSchema(
  schema: Schema<unknown>,
  about: { readonly title: string; readonly allowsTemplates?: boolean },
): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const body = schema.json({ definitions, allowsTemplates: about.allowsTemplates === true });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: about.title,
    ...body,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}
