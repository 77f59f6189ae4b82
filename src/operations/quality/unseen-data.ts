/*
 * What is due is found by what was recorded, not by events: rows that are others than those of the newest results and profiles,
 * and packs that are others than those that were evaluated. The next plan, run or worker makes up for what a dead process left.
 */
import { packSources } from '../../compiler/quality/pack-sources.ts';
import { versionOf } from '../../domain/data-version.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { TableId } from '../../domain/relation.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { EnvironmentChecks } from './environment-checks.ts';

/** Packs on models whose rows no check has seen as they are now, and packs that are new. */
export async function uncheckedPacks(
  world: OpenedWorldReader,
  { environment, packs, sourcesOf }: EnvironmentChecks,
): Promise<readonly DqPack[]> {
  const latest = Map.groupBy(
    await world.state.quality.latestResults({ environment: environment.name }),
    ({ pack }) => pack,
  );
  const groups = [...Map.groupBy(packs, ({ model }) => model.value.toLowerCase()).values()];
  const versions = await versionsOf(
    world,
    groups.map((own) => packSources(own, sourcesOf)),
  );
  return groups.flatMap((own, index) => {
    const version = versions[index] ?? '';
    const isSeen = ({ name, rules }: DqPack): boolean => {
      const results = latest.get(name.value) ?? [];
      if (rules.every(({ isEnabled }) => !isEnabled)) return true;
      return (
        results.length > 0 &&
        results.every((each) => each.dataVersion === version && each.definedBy === environment.dqPacks)
      );
    };
    return version !== '' && own.every(isSeen) ? [] : own;
  });
}

/** Models that packs profile, as packs call them, whose rows no profile has seen as they are now. */
export async function unprofiledModels(
  world: OpenedWorldReader,
  { environment: { name: environment, dqPacks }, packs, tableOf, sourcesOf }: EnvironmentChecks,
): Promise<readonly string[]> {
  const profiled = packs.filter(({ profiles }) => profiles.length > 0).map(({ model }) => model.value);
  const models = [...new Set(profiled)].flatMap((model) => {
    const found = tableOf(model);
    return found === undefined ? [] : [{ model, table: found.name }];
  });
  const [versions, last] = await Promise.all([
    versionsOf(
      world,
      models.map(({ model }) => sourcesOf(model)),
    ),
    Promise.all(
      models.map(({ table: model }) => world.state.quality.profiles({ environment, model, limit: 1 })),
    ),
  ]);
  return models.flatMap(({ model }, index) => {
    const version = versions[index] ?? '';
    const newest = last[index]?.[0];
    const isSeen = newest?.dataVersion === version && newest.definedBy === dqPacks;
    return version === '' || isSeen ? [] : [model];
  });
}

/** One text for the data versions of each group of tables, asked for at once; '' where they cannot be known. */
async function versionsOf(
  { engine }: OpenedWorldReader,
  groups: readonly (readonly TableId[] | undefined)[],
): Promise<readonly string[]> {
  const versions = await engine.dataVersions(groups.flatMap((tables) => tables ?? []));
  let at = 0;
  return groups.map((tables) => {
    const own = versions.slice(at, at + (tables?.length ?? 0));
    at += own.length;
    return versionOf(own);
  });
}
