import { basename, dirname } from 'node:path';
import type { OpenedWorld } from '../open-world.ts';
import { openFolder } from '../workspace.ts';

/** Writes everything the state knows, one JSON text a line, to a file (whole or not at all) or to `write`. */
export async function exportState(
  { state }: OpenedWorld,
  to: { readonly file?: string | undefined; readonly write?: ((line: string) => void) | undefined },
): Promise<number> {
  const pieces =
    to.file === undefined
      ? undefined
      : openFolder(dirname(to.file), { isPrivate: true }).open(basename(to.file));
  let lines = 0;
  try {
    for await (const line of state.exportAll()) {
      pieces?.write(`${line}\n`);
      to.write?.(line);
      lines++;
    }
    pieces?.finish();
  } catch (error) {
    pieces?.discard();
    throw error;
  }
  return lines;
}
