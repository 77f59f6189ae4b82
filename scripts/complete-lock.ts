/**
 * Completes package-lock.json with the platform packages that the registry at hand does not have. `npm ci` refuses a lock file that leaves out an optional
 * dependency, even one for another machine; an entry with its version, os and cpu is enough, and is never fetched here. Run it after `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './step.ts';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
let added = 0;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (`node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages) continue;
    const words = name.split(/[/-]/);
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) =>
      words.some((word) => word === processor || (processor === 'arm' && /^arm(?:v7)?$/.test(word))),
    );
    if (cpu.length === 0)
      throw new Error(`${name} is optional, missing, and its name does not say for which machine it is`);
    const libc = words.some((word) => word.startsWith('musl'))
      ? { libc: ['musl'] }
      : os.includes('linux')
        ? { libc: ['glibc'] }
        : {};
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[~^]/, ''),
      cpu,
      ...(dev ? { dev } : {}),
      ...libc,
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    };
    added++;
  }
const [own, ...others] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([
  own as [string, LockedPackage],
  ...others.sort(([a], [b]) => (a < b ? -1 : 1)),
]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages for other machines added`);
