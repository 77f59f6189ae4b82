/** How tightly operators bind, loosest first: DuckDB's and PostgreSQL's order. */
export const ARROW = 1;
export const OR = 2;
export const AND = 3;
export const NOT = 4;
export const IS = 5;
export const COMPARISON = 6;
/** BETWEEN, IN and the LIKE family. */
export const MATCH = 7;
/** `||`, `&` and other operators without a level of their own. */
export const OPERATOR = 8;
export const SUM = 9;
export const PRODUCT = 10;
export const POWER = 11;
export const AT_TIME_ZONE = 12;
export const COLLATE = 13;
/** A sign's operand: tighter than every infix operator. */
export const UNARY = 14;
