import type { DataRecord } from '../../../foundation/yaml/data.ts';

/** Where a check of another tool stands, and its own words. */
export interface CheckPlace {
  readonly file: string;
  readonly line: number;
  /** Shortened where it is long. */
  readonly text: string;
}

/** A rule of ours before it is written: its text, and its options as the keys of the file. */
export interface RuleDraft {
  readonly text: string;
  readonly options: DataRecord;
  /** A query of which each row is a failure; for an audit in place of a check. Empty where the rule has none. */
  readonly audit?: string;
}

/** What our grammar makes of a check: the same, nearly the same, or nothing with the reason and what to do. */
export type Translation =
  | { readonly kind: 'rules'; readonly rules: readonly RuleDraft[]; readonly differs: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

/** A translated check and the rows it is about. */
export interface CheckDraft {
  readonly at: CheckPlace;
  /** As the other tool names it; undefined for a check of no table. */
  readonly table?: string;
  /** A named part of the table, with the condition of its rows. */
  readonly part?: { readonly name: string; readonly where: string };
  readonly translation: Translation;
}

/** One line of the report: what became of a check. */
export interface ImportedCheck {
  readonly at: CheckPlace;
  readonly table?: string;
  readonly outcome: 'imported' | 'approximated' | 'refused';
  /** Paths of the files that say it now. */
  readonly files: readonly string[];
  /** Names of its rules or audits. */
  readonly rules: readonly string[];
  /** How an approximated check differs. */
  readonly differs: readonly string[];
  readonly why?: string;
  readonly next?: string;
}

/** A file that the import would write. */
export interface ImportedFile {
  readonly path: string;
  readonly text: string;
}

/** All that an import found: files to write and what became of every check. */
export interface ImportedChecks {
  readonly files: readonly ImportedFile[];
  readonly checks: readonly ImportedCheck[];
  /** Tables that are not models of the project, with the reason; their packs are written and wait for the model. */
  readonly unknownTables: readonly { readonly name: string; readonly why: string }[];
}

/** A file of another tool. */
export interface ForeignFile {
  readonly path: string;
  readonly text: string;
}

export function refused(why: string, next: string): Translation {
  return { kind: 'refused', why, next };
}

export function rule(text: string, options: DataRecord = {}, audit?: string): RuleDraft {
  return audit === undefined ? { text, options } : { text, options, audit };
}

export function rules(
  drafts: readonly RuleDraft[],
  differs: readonly (string | undefined)[] = [],
): Translation {
  return { kind: 'rules', rules: drafts, differs: differs.filter((each) => each !== undefined) };
}
