import type { ServerLimits } from '../domain/server-limits.ts';
import type { OpenedWorldReader } from './open-world.ts';
import type { ProductCaches } from './product-caches.ts';
import type { Workspace } from './workspace.ts';

/** One project folder as a server has it open: reading half, for verbs that change neither warehouse nor state. */
export interface ProductReader {
  readonly tenant: string;
  readonly name: string;
  /** `{tenant}-{name}`: how addresses name it. */
  readonly slug: string;
  readonly workspace: Pick<Workspace, 'files'>;
  readonly world: OpenedWorldReader;
  /** When the folder was made here. */
  readonly createdAt: number;
  /** Those of the server, whatever the folder's own config.yaml says. */
  readonly limits: ServerLimits;
  readonly caches: ProductCaches;
}
