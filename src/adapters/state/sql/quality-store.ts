import { boundedResult } from '../../../domain/bounded-result.ts';
import type { QualityStore } from '../../../domain/quality-store.ts';
import type { StateOperations } from './operations.ts';

/** Results of checks, incidents and profiles. */
export function qualityStore(connection: StateOperations): QualityStore {
  return {
    latestResults: async (request) => JSON.parse(await connection.ask('latestResults', request)),
    outcomesSince: async (request) => new Map(await connection.ask('outcomesSince', request)),
    troubles: async (request) => JSON.parse(await connection.ask('troubles', request)),
    results: async (request) => JSON.parse(await connection.ask('checkResults', request)),
    result: async (id) => parsed(await connection.ask('checkResult', id)),
    history: async (request) => new Map(await connection.ask('checkHistory', request)),
    incidents: async (request) => JSON.parse(await connection.ask('incidents', request)),
    incident: async (id) => parsed(await connection.ask('incident', id)),
    profiles: async (request) => JSON.parse(await connection.ask('profiles', request)),
    profile: async (id) => parsed(await connection.ask('profile', id)),
    baseline: async (request) => parsed(await connection.ask('baselineProfile', request)),
    recordResults: (results, events) => connection.ask('recordResults', results.map(boundedResult), events),
    retireChecks: (request) => connection.ask('retireChecks', request),
    recordProfiles: (profiles, events) => connection.ask('recordProfiles', profiles, events),
  };
}

const parsed = (text: string | undefined) => (text === undefined ? undefined : JSON.parse(text));
