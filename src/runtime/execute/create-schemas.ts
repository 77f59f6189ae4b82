import type { Stage } from '../../domain/plan.ts';
import type { World } from '../world.ts';

export async function createSchemas(
  { engine }: World,
  { schemas }: Extract<Stage, { kind: 'create-schemas' }>,
): Promise<void> {
  await engine.executeInTransaction(schemas.map((schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`));
}
