import { type RegisteredKey, registeredKeys } from './registered-keys.ts';

/** Where keys are written, in the words of the page. */
const PLACES: Readonly<Record<string, string>> = {
  config: '`config.yaml`',
  dq: 'dq pack',
  external_models: '`external_models.yaml`',
  metric: 'metric',
  semantic: 'semantic model',
  test: 'model test',
  usage: '`usage.yaml`',
  MODEL: 'MODEL block',
  AUDIT: 'AUDIT block',
  csv_settings: '`csv_settings` of SEED',
};

/** The part of docs/reference/compatibility.md that says what each key does: made from the declarations that read them. */
export function keyTables(): string {
  const keys = registeredKeys();
  const byPlace = Map.groupBy(keys, ({ place }) => place);
  const lines = [
    '## Accepted with a note, without effect',
    '',
    'Writing one of these gives a note (`config.key-without-effect`, `model.unused-property`) that says why.',
    '',
    '| where | keys | why |',
    '|---|---|---|',
    ...reasons(keys, ({ withoutEffect, notYet }) => (notYet === undefined ? withoutEffect : undefined)),
    '',
    '## Accepted with a warning, not there yet',
    '',
    'Writing one of these gives a warning (`yaml.key-not-yet`, `model.property-not-yet`, `model.kind-not-yet`).',
    '',
    '| where | keys | what is missing |',
    '|---|---|---|',
    ...reasons(keys, ({ notYet }) => notYet),
    '',
    '## Keys that have an effect',
    '',
    'A test shows the effect of each (`tests/keys`). Every other key is an error with the nearest known one.',
    '',
    '| where | keys |',
    '|---|---|',
    ...[...byPlace].flatMap(([place, own]) => {
      const real = own.filter(
        ({ withoutEffect, notYet }) => withoutEffect === undefined && notYet === undefined,
      );
      return real.length === 0
        ? []
        : [`| ${placeWords(place)} | ${real.map(({ path }) => `\`${path}\``).join(', ')} |`];
    }),
  ];
  return lines.join('\n');
}

const placeWords = (place: string): string => PLACES[place] ?? `kind ${place}`;

/** One row for each reason in a place; what stands inside a marked key is not named again. */
function reasons(
  keys: readonly RegisteredKey[],
  reasonOf: (key: RegisteredKey) => string | undefined,
): readonly string[] {
  const rows = new Map<string, { place: string; why: string; paths: string[]; around: Set<string> }>();
  for (const key of keys) {
    const why = reasonOf(key);
    if (why === undefined) continue;
    const name = `${key.place} ${why}`;
    const row = rows.get(name) ?? { place: placeWords(key.place), why, paths: [], around: new Set<string>() };
    rows.set(name, row);
    if (key.isMarkedAround !== true) row.paths.push(key.path);
    else row.around.add(key.path.includes('.') ? `${key.path.split('.')[0]}.*` : '*');
  }
  return [...rows.values()].map(({ place, why, paths, around }) => {
    const named = paths.length === 0 ? (around.has('*') ? ['*'] : [...around]) : paths;
    return `| ${place} | ${named.map((path) => `\`${path}\``).join(', ')} | ${why} |`;
  });
}
