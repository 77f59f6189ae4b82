/** Tests start the built program, its keepers and its workers: what they start is built from the sources that they test. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.ts')], { stdio: 'inherit' });
}
