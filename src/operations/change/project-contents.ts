import { signalFiles } from '../../compiler/render/signal-files.ts';
import { snapshotContent } from '../../compiler/render/snapshot-content.ts';
import type { Model } from '../../domain/model.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { UserCode } from '../../domain/user-code.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';

/** What a snapshot keeps of a model of the project: besides the model, the files of macros and signals that it uses. */
export function projectContents(
  loaded: LoadedWorkspace,
  userCode: UserCode,
): (model: Model) => Promise<SnapshotContent> {
  const filesIn = (folder: string): Readonly<Record<string, string>> =>
    Object.fromEntries([...loaded.sources].filter(([path]) => path.startsWith(folder)));
  const [macroFiles, signals] = [filesIn('macros/'), filesIn('signals/')];
  let asking: ReturnType<UserCode['functions']> | undefined;
  return async (model) => {
    const content = await snapshotContent(model, loaded, macroFiles);
    if (model.signals.length === 0) return content;
    asking ??= userCode.functions('signals');
    const { functions } = await asking;
    return { ...content, signalFiles: signalFiles(model, functions, signals) };
  };
}
