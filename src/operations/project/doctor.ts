import { Failure } from '../../domain/failure.ts';
import { counted } from '../../foundation/counted.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import type { Workspace } from '../workspace.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import type { DoctorTools } from './doctor-tools.ts';
import { cacheFinding, spaceFinding, writableFinding } from './folder-findings.ts';
import { loadProject } from './load-project.ts';
import {
  engineFinding,
  jinjaFinding,
  libraryFinding,
  nodeFinding,
  pythonFinding,
  systemFinding,
} from './program-findings.ts';
import { stateFinding } from './state-finding.ts';

/** Looks at the program, the machine and the project, and yields each finding when it is known. */
export async function* doctor(tools: DoctorTools): AsyncGenerator<DoctorFinding> {
  yield nodeFinding(tools.nodeVersion);
  yield systemFinding(tools);
  yield await libraryFinding();
  yield await jinjaFinding();
  yield await engineFinding(tools.workspace);
  yield await pythonFinding(tools);
  yield spaceFinding(tools.folder);
  if (tools.workspace === undefined) {
    yield {
      name: 'project',
      status: 'warn',
      detail: 'no project folder here',
      fix: 'run plinth init, or pass --project FOLDER',
    };
    return;
  }
  yield writableFinding(tools.workspace);
  yield cacheFinding(tools.workspace);
  yield await stateFinding(tools.workspace);
  yield await projectFinding(tools.workspace);
}

async function projectFinding(workspace: Workspace): Promise<DoctorFinding> {
  try {
    const { project, diagnostics } = await loadProject(workspace);
    const detail = `${project.config.name}: ${counted(project.models.length, 'model')}`;
    if (!hasErrors(diagnostics)) return { name: 'project', status: 'ok', detail };
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    return {
      name: 'project',
      status: 'fail',
      detail: `${detail}, ${counted(errors, 'error')}`,
      fix: 'plinth info shows them',
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A folder without a project is only a warning: new users often run doctor first.
    const status = error.code === 'project.nothing-found' ? 'warn' : 'fail';
    return {
      name: 'project',
      status,
      detail: error.message,
      ...(error.diagnostic.hint === undefined ? {} : { fix: error.diagnostic.hint }),
    };
  }
}
