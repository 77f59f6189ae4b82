import type { StateStore } from '../../src/domain/state-store.ts';
import { readConfig } from '../../src/operations/open-world.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { STATE_DATABASE, STATE_PASSWORD, STATE_USER } from '../postgres-server.ts';
import { temporaryProject } from '../support/temporary-project.ts';

export type StateOptions = Readonly<Record<string, string | number>>;

/** The text of a config.yaml whose state lies on a server of tests. */
export const configText = (port: number, options: StateOptions): string =>
  JSON.stringify({
    name: 'shop',
    gateways: {
      local: {
        connection: { type: 'duckdb', database: 'w.duckdb' },
        state_connection: {
          type: 'postgres',
          host: '127.0.0.1',
          port,
          user: STATE_USER,
          password: "{{ env_var('STATE_PASSWORD') }}",
          database: STATE_DATABASE,
          ...options,
        },
      },
    },
    model_defaults: { dialect: 'duckdb', start: '2024-01-01' },
  });

/** Opens the state as every command does: by the config.yaml of a project. */
export async function withConfiguredState<Result>(
  port: number,
  options: StateOptions,
  work: (state: StateStore) => Promise<Result>,
): Promise<Result> {
  const project = temporaryProject({
    'config.yaml': configText(port, options),
    'models/one.sql': 'MODEL (name m.one);\nSELECT 1 AS id\n',
  });
  const workspace = openWorkspace({
    folder: project.folder,
    variables: { STATE_PASSWORD },
    executionTime: Date.UTC(2026, 0, 2),
  });
  try {
    const { gateways } = await readConfig(workspace);
    const gateway = gateways['local'];
    if (gateway === undefined) throw new Error('the gateway is missing');
    return await work(await workspace.state(gateway));
  } finally {
    await workspace.close();
    project.delete();
  }
}
