import type { Query, Select } from '../../../foundation/sql/tree.ts';
import type { LogicalQuery } from '../logical-query.ts';

/** A column of the block; `of` is the key or measure it shows unchanged. */
export interface BlockOutput {
  readonly name: string;
  readonly of?: LogicalQuery['outputs'][number]['column'];
}

/** A compiled SELECT, with what orders it. */
export interface CompiledBlock {
  readonly select: Select;
  readonly orderBy: Query['orderBy'];
  readonly outputs: readonly BlockOutput[];
}
