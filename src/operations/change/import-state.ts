import { gatewayOf, readConfig } from '../open-world.ts';
import { openGivenFiles, type Workspace } from '../workspace.ts';

/** Reads what `exportState` wrote, from a file or standard input, into a state that is empty. The warehouse is not touched. */
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
