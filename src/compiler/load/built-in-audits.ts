/** The arguments of a built-in audit; every one of them also takes `blocking` and `on_failure`. */
export interface BuiltInAudit {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const column: BuiltInAudit = { required: ['column'], optional: ['condition'] };
const columns: BuiltInAudit = { required: ['columns'], optional: ['condition'] };
const bounds: BuiltInAudit = { required: ['column'], optional: ['min_v', 'max_v', 'inclusive', 'condition'] };
const values: BuiltInAudit = { required: ['column', 'is_in'], optional: ['condition'] };
const patterns: BuiltInAudit = { required: ['column', 'patterns'], optional: ['condition'] };
const threshold: BuiltInAudit = { required: ['column', 'threshold'], optional: ['condition'] };

/** The audits that need no file, by name; each also exists as `<name>_non_blocking`. */
export const BUILT_IN_AUDITS: Readonly<Record<string, BuiltInAudit>> = {
  forall: { required: ['criteria'], optional: ['condition'] },
  not_null: columns,
  at_least_one: column,
  not_null_proportion: threshold,
  not_constant: column,
  unique_values: columns,
  unique_combination_of_columns: columns,
  unique_where: { required: ['columns', 'condition'], optional: [] },
  accepted_values: values,
  not_accepted_values: values,
  sequential_values: { required: ['column'], optional: ['interval', 'condition'] },
  accepted_range: bounds,
  mutually_exclusive_ranges: {
    required: ['lower_bound_column', 'upper_bound_column'],
    optional: ['partition_clause', 'condition'],
  },
  number_of_rows: { required: ['threshold'], optional: ['condition'] },
  not_empty_string: column,
  string_length_equal: { required: ['column', 'v'], optional: ['condition'] },
  string_length_between: bounds,
  valid_uuid: column,
  valid_email: column,
  valid_url: column,
  valid_http_method: column,
  match_regex_pattern_list: patterns,
  not_match_regex_pattern_list: patterns,
  match_like_pattern_list: patterns,
  not_match_like_pattern_list: patterns,
  mean_in_range: bounds,
  stddev_in_range: bounds,
  z_score: threshold,
  kl_divergence: { required: ['source_column', 'target_column', 'threshold'], optional: ['condition'] },
  chi_square: { required: ['column_a', 'column_b', 'critical_value'], optional: ['dependent', 'condition'] },
  relationship: { required: ['column', 'to', 'field'], optional: ['condition'] },
};

/** Those whose failures are rows of the model, each found by itself: such rows can be held back. */
export const ROW_AUDITS: ReadonlySet<string> = new Set([
  'forall', 'not_null', 'accepted_values', 'not_accepted_values', 'accepted_range', 'not_empty_string', 'string_length_equal', 'string_length_between', 'valid_uuid',
  'valid_email', 'valid_url', 'valid_http_method', 'match_regex_pattern_list', 'not_match_regex_pattern_list', 'match_like_pattern_list',
  'not_match_like_pattern_list', 'relationship',
]); // biome-ignore format: a table

const SUFFIX = '_non_blocking';

/** The built-in audit a name means, and whether the name itself says that it does not block. */
export function builtInAudit(
  name: string,
): { readonly audit: BuiltInAudit; readonly name: string; readonly isNonBlocking: boolean } | undefined {
  const isNonBlocking = name.endsWith(SUFFIX);
  const plain = isNonBlocking ? name.slice(0, -SUFFIX.length) : name;
  const audit = Object.hasOwn(BUILT_IN_AUDITS, plain) ? BUILT_IN_AUDITS[plain] : undefined;
  return audit && { audit, name: plain, isNonBlocking };
}
