import { basename, dirname } from 'node:path';
import { gatewayOf, type OpenedWorld, readConfig } from '../open-world.ts';
import { openFolder, openGivenFiles, type Workspace } from '../workspace.ts';

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

/** Reads such a text back, from a file or standard input, into a state that is empty. The warehouse is not touched. */
export async function importState(workspace: Workspace, file: string | undefined): Promise<number> {
  const config = await readConfig(workspace);
  const state = await workspace.state(gatewayOf(config, workspace.gateway ?? config.defaultGateway));
  let lines = 0;
  async function* counted(): AsyncGenerator<string> {
    for await (const line of openGivenFiles().lines(file)) {
      if (line.trim() === '') continue;
      lines++;
      yield line;
    }
  }
  await state.importAll(counted());
  return lines;
}
