import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { Data, DataRecord } from '../foundation/yaml/data.ts';
import type { Located, LocatedText } from '../foundation/yaml/located.ts';
import type { CsvSettings } from './model-kind.ts';

/** A unit test: given these input rows, a model (or a semantic query) gives those rows. */
export interface ModelTest {
  readonly name: string;
  readonly file: string;
  readonly description?: string;
  readonly subject: TestSubject;
  /** By the name of the table the model reads, as written. */
  readonly inputs: readonly TestTable[];
  readonly outputs: TestOutputs;
  /** `start`, `end`, `execution_time` and the other time variables freeze time; anything else is a variable of the project. */
  readonly variables: DataRecord;
  readonly gateway?: Located<string>;
  /** A fixed name for the schema that holds the input tables. */
  readonly schema?: string;
  /** Of its name. */
  readonly start: number;
  readonly end: number;
  /** Of what stands under the name. */
  readonly body: { readonly start: number; readonly end: number };
}

export type TestSubject =
  | { readonly kind: 'model'; readonly model: Located<string> }
  | {
      readonly kind: 'semantic-query';
      readonly query: Data;
      readonly members: readonly QueryMember[];
      /** Who asks; without it nothing is hidden. */
      readonly as?: TestCaller;
      readonly start: number;
      readonly end: number;
    };

/** Who asks the semantic query of a test: a caller in no group when both are left out. */
export interface TestCaller {
  readonly groups: readonly Located<string>[];
  /** A name of `users` or `access` in config.yaml. */
  readonly principal?: Located<string>;
}

/** A member that a semantic query names, and what it must be there. */
export interface QueryMember {
  readonly member: Located<string>;
  readonly expected: 'measure' | 'dimension' | 'segment' | 'time' | 'measure or dimension';
  /** Of a time dimension. */
  readonly granularity?: Located<string>;
}

/** Rows of one table. Types override what the model's columns say. */
export interface TestTable {
  readonly name: Located<string>;
  readonly rows: TestRows;
  readonly columns: readonly { readonly name: Located<string>; readonly type: Located<string> }[];
}

export interface TestOutputs {
  readonly query?: ExpectedRows;
  /** The code with which a semantic query is refused. */
  readonly error?: Located<string>;
  readonly ctes: readonly ({ readonly name: Located<string> } & ExpectedRows)[];
}

export interface ExpectedRows {
  readonly rows: TestRows;
  /** Columns that are not mentioned are not compared. */
  readonly isPartial: boolean;
}

/** Where rows come from: written down, a file beside the test, or a query. */
export type TestRows =
  | { readonly kind: 'rows'; readonly rows: readonly TestRow[]; readonly start: number; readonly end: number }
  | {
      readonly kind: 'csv-text';
      readonly text: string;
      readonly csv: Partial<CsvSettings>;
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'file';
      readonly path: Located<string>;
      readonly format: 'csv' | 'yaml';
      readonly csv: Partial<CsvSettings>;
    }
  | { readonly kind: 'query'; readonly query: LocatedText };

export type TestRow = readonly TestCell[];

export interface TestCell {
  readonly column: string;
  readonly value: TestValue;
  /** Of the column's name in this row. */
  readonly start: number;
  readonly end: number;
}

/** A number keeps its spelling, because 7.00 and 12345678901234567890 must stay what they are. */
export type TestValue =
  | string
  | boolean
  | null
  | { readonly kind: 'number'; readonly text: string }
  /** A date or a time without quotes: `2024-01-31`. */
  | { readonly kind: 'time'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly TestValue[] }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, TestValue>> };

/** How one output of a test differs from what it expects. */
export interface TestDifference {
  /** `query`, or the name of the common table expression. */
  readonly output: string;
  readonly columns: readonly string[];
  /** Expected, and did not come. */
  readonly missing: readonly DifferentRow[];
  /** Came, and was not expected. */
  readonly unexpected: readonly DifferentRow[];
  /** A missing row beside the unexpected one that is most likely meant, with the places of the cells that differ. */
  readonly changed: readonly {
    readonly expected: DifferentRow;
    readonly came: DifferentRow;
    readonly cells: readonly number[];
  }[];
  /** The same rows, in another order than the query asks for. */
  readonly isOrder: boolean;
}

export interface DifferentRow {
  readonly cells: readonly unknown[];
  /** Of an expected row that is written in the file of the test. */
  readonly at?: { readonly start: number; readonly end: number };
}

/** How a test ended. */
export type TestResult =
  | { readonly kind: 'passed'; readonly test: ModelTest; readonly rows: number; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly test: ModelTest;
      readonly differences: readonly TestDifference[];
      readonly ms: number;
    }
  | { readonly kind: 'broken'; readonly test: ModelTest; readonly diagnostics: readonly Diagnostic[] }
  /** Of a model that needs Python: nothing runs it yet. */
  | { readonly kind: 'not-run'; readonly test: ModelTest };
