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
  readonly gateway?: string;
  /** A fixed name for the schema that holds the input tables. */
  readonly schema?: string;
  readonly start: number;
  readonly end: number;
}

export type TestSubject =
  | { readonly kind: 'model'; readonly model: Located<string> }
  | {
      readonly kind: 'semantic-query';
      readonly query: Data;
      readonly members: readonly QueryMember[];
      readonly start: number;
      readonly end: number;
    };

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
  /** Columns that are not mentioned are not compared. */
  readonly isPartial: boolean;
  readonly query?: TestRows;
  readonly ctes: readonly { readonly name: Located<string>; readonly rows: TestRows }[];
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
  | { readonly kind: 'list'; readonly items: readonly TestValue[] }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, TestValue>> };

/** How a test ended. `missing` rows were expected and did not come, `unexpected` came. */
export type TestResult =
  | { readonly kind: 'passed'; readonly test: ModelTest; readonly rows: number; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly test: ModelTest;
      readonly columns: readonly string[];
      readonly missing: readonly (readonly unknown[])[];
      readonly unexpected: readonly (readonly unknown[])[];
      /** The same rows, in another order than the query asks for. */
      readonly isOrder: boolean;
      readonly ms: number;
    }
  | { readonly kind: 'broken'; readonly test: ModelTest; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'not-run'; readonly test: ModelTest };
