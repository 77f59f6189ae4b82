import type { Environment } from './environment.ts';

/** What the platform remembers between commands. Walking skeleton: environments only; every method is one transaction. */
export interface StateReader {
  environment(name: string): Promise<Environment | undefined>;
}

export interface StateStore extends StateReader {
  promote(environment: Environment): Promise<void>;
  close(): Promise<void>;
}
