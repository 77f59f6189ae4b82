import { record, withoutEffect } from '../../../foundation/yaml/collection-schemas.ts';
import { data, flag, text } from '../../../foundation/yaml/scalar-schemas.ts';

const unread = data('nothing inside is read');
const PHYSICAL_SCHEMAS = 'physical tables lie in schemas that begin with plinth__, where only Plinth writes';

/** Keys at the top of config.yaml that other tools know: accepted, so that their projects load unchanged, and noted. */
export const FOREIGN_KEYS = {
  physical_schema_mapping: withoutEffect(
    record(text(), { name: 'a map from regular expressions to schemas' }),
    PHYSICAL_SCHEMAS,
  ),
  physical_schema_override: withoutEffect(
    record(text(), { name: 'a map from schemas to schemas' }),
    PHYSICAL_SCHEMAS,
  ),
  model_naming: withoutEffect(unread, 'names that are absent are always inferred from paths'),
  infer_python_dependencies: withoutEffect(unread, 'Python dependencies are found as they are used'),
  default_scheduler: withoutEffect(unread, 'the scheduler is part of plinth serve and plinth worker'),
  loader: withoutEffect(unread, 'there is one loader'),
  loader_kwargs: withoutEffect(unread, 'there is one loader'),
  env_vars: withoutEffect(unread, 'the environment is set by the caller'),
  username: withoutEffect(unread, 'the user is the one who is logged in'),
  physical_table_naming_convention: withoutEffect(unread, 'physical tables are named by their version'),
  virtual_environment_mode: withoutEffect(unread, 'environments are always virtual'),
  gateway_managed_virtual_layer: withoutEffect(unread, 'views are made where their tables are'),
  disable_anonymized_analytics: withoutEffect(flag(), 'nothing is ever reported'),
  log_limit: withoutEffect(unread, 'logs are kept in the event log'),
  cicd_bot: withoutEffect(unread, 'there is no bot; use plinth plan in CI'),
  ui: withoutEffect(unread, 'the browser app keeps its own settings'),
  migration: withoutEffect(unread, 'state is migrated automatically'),
  cache_dir: withoutEffect(unread, 'the cache is in .plinth/cache'),
  dbt: withoutEffect(unread, 'dbt projects are not read'),
};
