import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What is found out by trying: a connection that this version cannot open, a query that the engine refuses. */
export const adapterDiagnostics = {
  'engine.no-adapter': {
    severity: 'error',
    message: 'There is no adapter for the engine {engine} yet.',
    hint: 'use a connection of one of these types: {known}',
    explain:
      'config.yaml may describe connections to many engines, and models of all their dialects are loaded and checked. Building tables needs an adapter, which exists for the engines named in the hint.',
  },
  'plan.engine-refuses': {
    severity: 'error',
    message: 'The engine refuses the query of {model}: {detail}.',
    hint: 'fix the query; plinth render {model} shows it as the engine gets it',
    explain:
      'Before a plan is applied the engine is asked to plan the queries that are new or changed. Tables that the plan itself makes are stood in for by empty ones. What it refuses would have failed in the middle of the work. Queries with statements before them, and those over tables whose columns are not known yet, are left to the build.',
  },
  'plan.external-missing': {
    severity: 'warning',
    message: 'The warehouse does not have {tables}, which models of this plan read.',
    hint: 'load the data before the plan is applied, or declare the table under its right name',
    explain:
      'A table that is not a model of the project must exist when the models that read it are built. It may still appear before the plan is applied, so this is only a warning.',
  },
} as const satisfies Catalog;
