/**
 * Damages the files of real projects at random and loads them. Whatever the damage, loading ends soon, throws nothing and points only into files.
 *   PLINTH_FUZZ_SECONDS=600 npx vitest run tests/hostile/fuzz.test.ts     a long campaign
 *   PLINTH_FUZZ_SEED=12345                                                 the same damage again
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emitBlocks } from '../../bench/generate/emit-blocks.ts';
import { generateProject } from '../../bench/generate/project.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { damaged, type Random, randomFrom } from './damage.ts';

const SECONDS = Number(process.env['PLINTH_FUZZ_SECONDS'] ?? 6);
const SEED = Number(process.env['PLINTH_FUZZ_SEED'] ?? 20_260_102);
const LOAD_SECONDS_MAX = 30;
const FILES_MAX = 25;

type Files = Readonly<Record<string, string>>;

function filesOf(folder: string): Files {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!entry.isFile() || path.startsWith('.') || path.includes('/.')) continue;
    if (/\.(?:sql|ya?ml|ts|csv|md)$/.test(path)) found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}

/** A few files of a project, so that one load is quick, with damage in one to three of them. */
function spoiled(files: Files, random: Random): { files: Record<string, string | Buffer>; damage: string[] } {
  const paths = Object.keys(files);
  const chosen = new Set(paths.filter((path) => /^config\.|^external/.test(path)));
  while (chosen.size < Math.min(FILES_MAX, paths.length)) chosen.add(random.pick(paths));
  const result: Record<string, string | Buffer> = {};
  for (const path of chosen) result[path] = (files[path] as string).slice(0, 20_000);
  const damage: string[] = [];
  for (let i = random.below(3); i >= 0; i--) {
    const path = random.pick([...chosen]);
    const text = result[path];
    if (typeof text !== 'string') continue;
    const { content, how } = damaged(text, () => files[random.pick(paths)] as string, random);
    result[path] = content;
    damage.push(`${path}: ${how}`);
  }
  return { files: result, damage };
}

test('damaged projects load, with diagnostics that lie inside their files', {
  timeout: (SECONDS + 120) * 1000,
}, async () => {
  const projects = [
    filesOf(join(import.meta.dirname, '../../examples/shop')),
    Object.fromEntries(emitBlocks(generateProject(60))),
  ].filter((files) => Object.keys(files).length > 0);
  expect(projects.length).toBeGreaterThan(0);
  const until = performance.now() + SECONDS * 1000;
  let loads = 0;
  const codes = new Map<string, number>();
  for (let seed = SEED; performance.now() < until; seed++, loads++) {
    const random = randomFrom(seed);
    const { files, damage } = spoiled(random.pick(projects), random);
    const context = `PLINTH_FUZZ_SEED=${seed}: ${damage.join('; ')}`;
    const project = temporaryProject({ 'config.yaml': 'name: fuzz\n', ...files });
    try {
      const started = cpuMs();
      const { diagnostics, sources } = await project.load({}, 5_000).catch((error: unknown) => {
        throw new Error(context, { cause: error });
      });
      expect(cpuMs() - started, context).toBeLessThan(LOAD_SECONDS_MAX * 1000);
      for (const { code, at, message } of diagnostics) {
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (at === undefined) continue;
        const length = sources.get(at.file)?.length ?? 0;
        const place = `${context}; ${code} at ${at.file}:${at.start}-${at.end} of ${length}: ${message}`;
        expect(at.start >= 0 && at.start <= at.end && at.end <= Math.max(length, 1), place).toBe(true);
      }
    } finally {
      project.delete();
    }
  }
  expect(loads).toBeGreaterThan(3);
});
