import { momentOf } from '../../domain/clock.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Product } from '../platform.ts';

/** The folder of a product, for a process that reads it. */
export interface ServedFolder {
  readonly folder: string;
  readonly gateway: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly executionTime: number;
}

/** The request to the process that looks at the files of a folder. */
export interface FolderWork extends ServedFolder {
  readonly kind: 'lint' | 'tests';
}

/** What it answers: JSON text of a list. */
export type FolderAnswer =
  | { readonly kind: 'looked'; readonly body: string }
  /** The files do not load. */
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'bug'; readonly detail: string };

export function servedFolder(product: Product): ServedFolder {
  const { folder, gateway, variables } = product.workspace;
  return {
    folder,
    gateway,
    // Past the watch over what is read of them: nothing is read here.
    variables: Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(variables)).map(([name, { value }]) => [
        name,
        value as string | undefined,
      ]),
    ),
    executionTime: momentOf(product.world.clock),
  };
}
