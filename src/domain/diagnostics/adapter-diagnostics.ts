import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What the workspace says when a connection names something that this version cannot open. */
export const adapterDiagnostics = {
  'engine.no-adapter': {
    severity: 'error',
    message: 'There is no adapter for the engine {engine} yet.',
    hint: 'use a connection of one of these types: {known}',
    explain:
      'config.yaml may describe connections to many engines, and models of all their dialects are loaded and checked. Building tables needs an adapter, which exists for the engines named in the hint.',
  },
  'state.no-adapter': {
    severity: 'error',
    message: 'State cannot be kept in {engine} yet.',
    hint: 'use a state_connection of one of these types: {known}; without one the state lies in .plinth/state.db',
    explain:
      'The state says which plans were applied and which intervals are filled. It is kept in a store of one of the types named in the hint.',
  },
} as const satisfies Catalog;
