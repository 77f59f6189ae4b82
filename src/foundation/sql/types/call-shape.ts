import type { SqlType } from './sql-type.ts';

/** What a rule may look at: the arguments' types, their names (`a := 1`) and the values of those that are constants. */
export interface CallShape {
  readonly name: string;
  readonly types: readonly SqlType[];
  readonly names: readonly (string | undefined)[];
  readonly constantAt: (at: number) => string | undefined;
}

export type Rule = (call: CallShape) => SqlType;
