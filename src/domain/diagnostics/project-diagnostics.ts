import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const projectDiagnostics = {
  'project.no-folder': {
    severity: 'error',
    message: 'There is no project folder {folder}.',
    hint: 'run plinth init to make an example project, or pass --project FOLDER',
    explain:
      'Every command works on a project folder: the current one, or the one given with --project. The folder does not exist or is a file.',
  },
  'project.nothing-found': {
    severity: 'error',
    message: 'The folder {folder} holds no Plinth project: neither a config.yaml nor a models folder.',
    hint: 'run plinth init to make an example project, or pass --project FOLDER',
    explain:
      'A project is a folder with a config.yaml, a models/ folder, or both. Neither was found, so most likely the command was started in another folder.',
  },
  'project.dbt': {
    severity: 'error',
    message: 'The folder {folder} holds a dbt project, which is not read.',
    hint: 'add a config.yaml and write the models with MODEL blocks; a table that dbt makes can be an external model',
    explain:
      'There is a dbt_project.yml and no config.yaml. Only native projects are read: models with a MODEL block, audits and tests as SQLMesh has them.',
  },
  'project.unknown-model': {
    severity: 'error',
    message: 'There is no model named {name} in this project.',
    hint: 'plinth info lists the models',
    explain:
      'Models are named schema.model as in their MODEL block, or after their path when the block has no name. Names are compared without regard to case.',
  },
  'project.unknown-column': {
    severity: 'error',
    message: 'The model {model} has no column named {name}.',
    hint: 'plinth info {model} lists the columns',
    explain: 'The command asked for the lineage of a column that the query of the model does not return.',
  },
} as const satisfies Catalog;
