import { failure } from '../../domain/failure.ts';
import { selectedModels } from '../change/selected-models.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';
import { type EnvironmentChecks, environmentChecks } from './environment-checks.ts';

/** Which packs of an environment are meant. */
export interface WantedChecks {
  readonly environment: string;
  /** Only packs on these models. */
  readonly selection?: string;
  /** Only packs of these names. */
  readonly packs?: readonly string[];
}

/** The packs that a caller names; a name that no pack has is refused. */
export async function wantedChecks(
  world: OpenedWorldReader,
  { environment: name, selection, packs }: WantedChecks,
): Promise<EnvironmentChecks> {
  const environment = await appliedEnvironment(world, name);
  const models = selection === undefined ? undefined : await selectedModels(world, environment, selection);
  const folded = models && new Set([...models].map((model) => model.toLowerCase()));
  const checks = await environmentChecks(
    world,
    environment,
    (pack) =>
      folded?.has(pack.model.value.toLowerCase()) !== false && packs?.includes(pack.name.value) !== false,
  );
  const unknown = packs?.find((pack) => !checks.packs.some((each) => each.name.value === pack));
  if (unknown !== undefined) throw failure('dq.unknown-pack', { name: unknown, environment: name });
  return checks;
}
