import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { step } from './step.ts';

interface Tool {
  readonly packages: readonly string[];
  readonly isThere: () => boolean;
  /** What is left out without it. */
  readonly loss: string;
  readonly afterFirst?: () => void;
}

// Nothing but Debian's registry is asked. What cannot be had is left out of the tests, whose names then say so.
const TOOLS: readonly Tool[] = [
  {
    packages: ['strace'],
    isThere: () => existsSync('/usr/bin/strace'),
    loss: 'no process is killed in tests',
  },
  {
    packages: ['postgresql-common', 'postgresql'],
    isThere: () => existsSync('/usr/lib/postgresql'),
    loss: 'no PostgreSQL is asked in tests',
    // Tests start servers of their own; the machine needs none.
    afterFirst: () =>
      writeFileSync('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n'),
  },
  {
    packages: ['chromium'],
    isThere: () => existsSync('/usr/bin/chromium'),
    loss: 'no page is opened in a browser in tests',
  },
  {
    packages: ['python3-venv'],
    isThere: () => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0,
    loss: 'there is no generator of TPC-H data',
  },
];

/** Installs the programs of other people that tests use, where this machine is Debian's and we are root. */
export async function installTools(): Promise<void> {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return;
  let isUpdated = false;
  const install = async (name: string): Promise<boolean> => {
    const once = async (): Promise<boolean> =>
      (await step('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { quiet: true }))
        .code === 0;
    if (await once()) return true;
    if (isUpdated) return false;
    isUpdated = true;
    await step('apt-get', ['update', '-qq'], { quiet: true });
    return once();
  };
  for (const { packages, isThere, loss, afterFirst } of TOOLS) {
    if (isThere()) continue;
    for (const [i, name] of packages.entries()) {
      if (!(await install(name))) {
        console.error(`${name} could not be installed: ${loss}`);
        break;
      }
      if (i === 0) afterFirst?.();
    }
  }
}
