import { Failure } from '../../domain/failure.ts';
import { gatewayOf, readConfig } from '../open-world.ts';
import { statePlace, type Workspace } from '../workspace.ts';
import type { DoctorFinding } from './doctor-finding.ts';

/** Processes that share a state go by its clock, so a difference is not an error; times in logs of this machine look wrong. */
const APART_MS_MAX = 5_000;

/** Opens the state as every command does, so it makes one that is not there; then writes to it, and says what it is. */
export async function stateFinding(workspace: Workspace): Promise<DoctorFinding> {
  const name = 'state';
  let called = '';
  try {
    const config = await readConfig(workspace);
    const gateway = gatewayOf(config, workspace.gateway ?? config.defaultGateway);
    called = `gateway ${gateway.name}`;
    const state = await workspace.state(gateway, config.state.isDurable);
    await state.checkUsable();
    const { product, version, schemaVersion } = await state.about();
    const place = statePlace(gateway, workspace.folder);
    const detail = `${called}: ${product} ${version}, ${place}, can be written, schema version ${schemaVersion}`;
    if (Math.abs(state.aheadMs) <= APART_MS_MAX) return { name, status: 'ok', detail };
    const seconds = (Math.abs(state.aheadMs) / 1000).toFixed(0);
    return {
      name,
      status: 'warn',
      detail: `${detail}; its clock is ${seconds} s ${state.aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine`,
      fix: 'set both clocks by a time server; until then Plinth goes by the clock of the state',
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'project.nothing-found')
      return { name, status: 'ok', detail: 'not tried, there is no project' };
    const { hint } = error.diagnostic;
    const where = called === '' || error.message.includes(called) ? '' : `${called}: `;
    return {
      name,
      status: 'fail',
      detail: `${where}${error.message} (${error.code})`,
      ...(hint === undefined ? {} : { fix: hint }),
    };
  }
}
