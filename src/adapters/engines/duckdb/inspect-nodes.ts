/*
 * The parts that a tree of DuckDB's parser (`json_serialize_sql`) may be made of. What is not here is refused, so that a new version
 * of DuckDB cannot bring in something that was not reviewed: unknown classes, types and even unknown fields.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Classes of expressions. Not here: DEFAULT, and all that only DuckDB's binder makes. */
export const EXPRESSION_CLASSES: ReadonlySet<string> = words(`
  BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA OPERATOR PARAMETER
  POSITIONAL_REFERENCE STAR SUBQUERY WINDOW
`);

/** Types of expressions, as `type` beside `class`. */
export const EXPRESSION_TYPES: ReadonlySet<string> = words(`
  ARRAY_CONSTRUCTOR ARRAY_EXTRACT ARRAY_SLICE CASE_EXPR COLLATE COLUMN_REF COMPARE_BETWEEN COMPARE_DISTINCT_FROM
  COMPARE_EQUAL COMPARE_GREATERTHAN COMPARE_GREATERTHANOREQUALTO COMPARE_IN COMPARE_LESSTHAN
  COMPARE_LESSTHANOREQUALTO COMPARE_NOTEQUAL COMPARE_NOT_BETWEEN COMPARE_NOT_DISTINCT_FROM COMPARE_NOT_IN
  CONJUNCTION_AND CONJUNCTION_OR FUNCTION GROUPING_FUNCTION LAMBDA OPERATOR_CAST OPERATOR_COALESCE
  OPERATOR_IS_NOT_NULL OPERATOR_IS_NULL OPERATOR_NOT OPERATOR_TRY OPERATOR_UNPACK POSITIONAL_REFERENCE STAR
  STRUCT_EXTRACT SUBQUERY VALUE_CONSTANT VALUE_PARAMETER WINDOW_AGGREGATE WINDOW_CUME_DIST WINDOW_FILL
  WINDOW_FIRST_VALUE WINDOW_LAG WINDOW_LAST_VALUE WINDOW_LEAD WINDOW_NTH_VALUE WINDOW_NTILE
  WINDOW_PERCENT_RANK WINDOW_RANK WINDOW_RANK_DENSE WINDOW_ROW_NUMBER
`);

/** Queries, tables, modifiers, orders and parts of types: whatever has a `type` and no `class`. Not here: SHOW_REF. */
export const NODE_TYPES: ReadonlySet<string> = words(`
  SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE
  BASE_TABLE EMPTY EXPRESSION_LIST JOIN PIVOT SUBQUERY TABLE_FUNCTION
  DISTINCT_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER ORDER_MODIFIER
  ASCENDING DESCENDING ORDER_DEFAULT
  ARRAY_TYPE_INFO DECIMAL_TYPE_INFO ENUM_TYPE_INFO LIST_TYPE_INFO STRING_TYPE_INFO STRUCT_TYPE_INFO
  UNBOUND_TYPE_INFO
`);

/** Types of values. Not here: VARIANT (sorting lists of it has crashed DuckDB 1.5.5), and states of aggregates. */
export const TYPE_IDS: ReadonlySet<string> = new Set([
  ...words(`
    ARRAY BIGINT BIGNUM BIT BLOB BOOLEAN DATE DECIMAL DOUBLE ENUM FLOAT HUGEINT INTEGER INTEGER_LITERAL INTERVAL
    LIST MAP NULL SMALLINT STRING_LITERAL STRUCT TIME TIMESTAMP TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TIME_NS
    TINYINT UBIGINT UHUGEINT UINTEGER UNBOUND UNION UNKNOWN USMALLINT UTINYINT UUID VARCHAR
  `),
  'TIME WITH TIME ZONE',
  'TIMESTAMP WITH TIME ZONE',
]);

/** Types that only DuckDB's binder knows by name. */
export const UNBOUND_TYPES: ReadonlySet<string> = words('enum json');

/** Fields of all these. Not here: `at_clause` (versions of a table), `export_state`, `pivot_enum`. */
export const FIELDS: ReadonlySet<string> = words(`
  aggregate_handling aggregates alias aliases arg_orders case_checks cast_type catalog catalog_name child
  child_type child_types children class collation column column_name_alias column_names columns comparison_type
  condition cte_map cte_name default_expr distinct distinct_on_targets else_expr end end_expr entries error
  exclude_clause exclude_list expr expression filter filter_expr first from_table function function_name
  group_expressions group_sets groups having id identifier ignore_nulls include_nulls index is_null is_operator
  is_percentage join_type key key_targets left lhs limit lower map materialized method modifiers name
  named_param_map node null_order offset offset_expr order_bys orders partitions pivot_expressions pivots qualified_exclude_list
  qualify query query_location ref_type relation_name rename_list replace_list right sample sample_size scale
  schema schema_name second seed select_list setop_all setop_type size source star_expr start start_expr
  statements subquery subquery_type table table_name then_expr try_cast type type_info union_all unpacked
  unpivot_names upper user_type_modifiers using_columns value values when_expr where_clause width
  with_ordinality input
`);
