import { basename, dirname } from 'node:path';
import { storedEnvironment } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Plan } from '../../domain/plan.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { OpenedWorld } from '../open-world.ts';
import { openFolder, openGivenFiles } from '../workspace.ts';

/*
 * A plan as a file: `{"schema": "plinth.plan-file/1", "digest", "warehouse_id", "plan"}`. The digest is that of the
 * text of the plan, so a file that was cut off or edited is not applied.
 */
const SCHEMA = 'plinth.plan-file/1';

/** Writes a plan that `plinth apply` takes, whole or not at all. */
export function writePlanFile({ state }: OpenedWorld, path: string, plan: Plan): void {
  const text = JSON.stringify(plan);
  const digest = hash128(state.warehouseId, text);
  const head = JSON.stringify({ schema: SCHEMA, digest, warehouse_id: state.warehouseId });
  openFolder(dirname(path)).replace(basename(path), `${head.slice(0, -1)},"plan":${text}}\n`);
}

/** Reads a plan file back; one that is damaged, or that belongs to another warehouse, is refused as a whole. */
export function readPlanFile({ state }: OpenedWorld, path: string): Plan {
  const text = openGivenFiles().text(path);
  const refuse = (detail: string): Error => failure('cli.bad-plan-file', { path, detail });
  let file: { schema?: unknown; digest?: unknown; warehouse_id?: unknown; plan?: unknown };
  try {
    file = JSON.parse(text) as typeof file;
  } catch {
    throw refuse('it is cut off, or no JSON');
  }
  if (typeof file !== 'object' || file === null || file.schema !== SCHEMA)
    throw refuse(`it is not of the form ${SCHEMA}`);
  if (file.digest !== hash128(String(file.warehouse_id), JSON.stringify(file.plan)))
    throw refuse('its contents do not fit their digest, so it was changed after it was written');
  if (file.warehouse_id !== state.warehouseId)
    throw refuse('it was made for another warehouse than this one');
  const plan = file.plan as Plan;
  return { ...plan, target: storedEnvironment(plan.target) };
}
