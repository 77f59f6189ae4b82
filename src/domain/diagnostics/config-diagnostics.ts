import type { Catalog } from '../../foundation/diagnostics/catalog.ts';
import { yamlDiagnostics } from './yaml-diagnostics.ts';

export const configDiagnostics = {
  ...yamlDiagnostics,
  'config.key-without-effect': {
    severity: 'note',
    message: '{key} has no effect here: {why}.',
    explain:
      'Projects written for SQLMesh carry settings of things that Plinth does differently or does not have. They are accepted, so that such a project loads unchanged. This note names them once, because they do nothing here.',
  },
  'config.python-not-supported': {
    severity: 'error',
    message: '{path} is a Python configuration, which is not read; the project loads with defaults.',
    hint: 'write the settings into config.yaml; `plinth schema config` prints all keys',
    explain:
      "Configuration is data: it can be read without running code, checked by an editor and served to other programs. Values from the environment are written as {{ env_var('NAME') }}.",
  },
  'config.several-files': {
    severity: 'warning',
    message: '{path} is ignored, because {used} is there, too.',
    hint: 'delete one of them',
    explain:
      'A project has one configuration file: config.yaml or config.yml. When both exist, config.yaml is used.',
  },
  'config.missing-variable': {
    severity: 'error',
    message: 'The environment variable {name} is not set.',
    hint: "set it, or give a default: env_var('{name}', 'default')",
    explain:
      'A value of this file is taken from the environment. Without the variable it would silently be empty, so a variable without a default must be set.',
  },
  'config.bad-template': {
    severity: 'error',
    message: '{template} is not understood.',
    hint: "only env_var('NAME'), env_var('NAME', 'default') and, in model tests, var('name') can be used here",
    explain:
      'Configuration and model tests may take values from the environment. Other Jinja is not run in them: what a file means must not depend on code.',
  },
  'config.bad-override': {
    severity: 'error',
    message: 'The environment variable {variable} overrides a setting, but {problem}.',
    explain:
      'Environment variables of the form PLINTH__SECTION__KEY override config.yaml. They are checked like the file: the section and key must exist and the value must fit.',
  },
  'config.unknown-gateway': {
    severity: 'error',
    message: '{name} is not a gateway of this project.',
    explain:
      'Gateways are the keys under `gateways`. `default_gateway` and `model_defaults.gateway` must name one of them.',
  },
  'config.no-connection': {
    severity: 'error',
    message: 'The gateway {name} has no connection, and there is no default_connection.',
    hint: 'add a connection with a type, for instance type: duckdb',
    explain:
      'A gateway says how a warehouse is reached. It needs a `connection` with a `type`, unless `default_connection` gives one for all gateways.',
  },
  'config.empty-access': {
    severity: 'error',
    message: 'The entry of {principal} under access gives nothing.',
    hint: 'add role, models, environments or policies: exempt',
    explain:
      'An entry of `access` names a user or a group and gives at least one thing: a `role` on the product, `models` that may be read as tables although policies reach them, `environments` besides the default one that a consumer may ask, or `policies: exempt`.',
  },
  'config.unknown-model': {
    severity: 'error',
    message: 'access of {principal} names the model {name}, which the project does not have.',
    explain:
      '`models` of an entry of `access` opens models by name: schema and model, as in FROM. A name that no model has would open nothing now, and something unforeseen later.',
  },
  'config.unknown-user': {
    severity: 'warning',
    message: 'The owner {name} is not among the users of config.yaml.',
    explain:
      'The owner answers for the product. When users are listed, the owner should be one of them, or a group of one.',
  },
} as const satisfies Catalog;
