import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { failure } from '../../domain/failure.ts';
import { gatewayOf, type OpenedWorld, readConfig } from '../open-world.ts';
import { openFolder, type Workspace } from '../workspace.ts';

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
    const input = file === undefined ? process.stdin : createReadStream(file);
    try {
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (line.trim() === '') continue;
        lines++;
        yield line;
      }
    } catch (cause) {
      throw failure(
        'cli.cannot-read',
        { path: file ?? 'standard input', detail: (cause as Error).message },
        { cause },
      );
    }
  }
  await state.importAll(counted());
  return lines;
}
