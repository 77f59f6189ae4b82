import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';

/** One of the benchmark's questions: as a semantic query, and as a person would write it in SQL. Both have the same columns in the same order. */
export interface TpchQuery {
  readonly name: string;
  readonly semantic: SemanticQuery;
  readonly sql: string;
}

const is = (
  member: string,
  operator: Extract<QueryFilter, { kind: 'member' }>['operator'],
  ...values: (string | number)[]
): QueryFilter => ({ kind: 'member', member, operator, values });
const all = (...filters: readonly QueryFilter[]): QueryFilter => ({ kind: 'and', filters });
const any = (...filters: readonly QueryFilter[]): QueryFilter => ({ kind: 'or', filters });
const ascending = (...members: readonly string[]): NonNullable<SemanticQuery['order']> =>
  members.map((member) => ({ member, direction: 'asc' }));

const REVENUE = 'SUM(l_extendedprice * (1 - l_discount))';
const LINES = 'tpch.lineitem AS l';
const ORDERS = 'JOIN tpch.orders AS o ON o.o_orderkey = l.l_orderkey';
const CUSTOMER = 'JOIN tpch.customer AS c ON c.c_custkey = o.o_custkey';
const SUPPLIER = 'JOIN tpch.supplier AS s ON s.s_suppkey = l.l_suppkey';
const PART = 'JOIN tpch.part AS p ON p.p_partkey = l.l_partkey';

/** Lines of one kind of part in an amount, for Q19. */
function bargain(brand: string, size: number, quantity: number, containers: readonly string[]): QueryFilter {
  return all(
    is('part.p_brand', 'equals', brand),
    is('part.p_container', 'in', ...containers),
    is('lineitem.l_quantity', 'gte', quantity),
    is('lineitem.l_quantity', 'lte', quantity + 10),
    is('part.p_size', 'gte', 1),
    is('part.p_size', 'lte', size),
    is('lineitem.l_shipmode', 'in', 'AIR', 'AIR REG'),
    is('lineitem.l_shipinstruct', 'equals', 'DELIVER IN PERSON'),
  );
}

export const TPCH_QUERIES: readonly TpchQuery[] = [
  {
    name: 'Q1 pricing summary',
    semantic: {
      measures: [
        'lineitem.quantity',
        'lineitem.base_price',
        'lineitem.revenue',
        'lineitem.charge',
        'lineitem.average_quantity',
        'lineitem.average_price',
        'lineitem.average_discount',
        'lineitem.count',
      ],
      dimensions: ['lineitem.l_returnflag', 'lineitem.l_linestatus'],
      filters: [is('lineitem.l_shipdate', 'beforeOrOnDate', '1998-09-02')],
      order: ascending('lineitem.l_returnflag', 'lineitem.l_linestatus'),
    },
    sql: `SELECT l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice), ${REVENUE},
  SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)), AVG(l_quantity), AVG(l_extendedprice), AVG(l_discount), COUNT(*)
FROM tpch.lineitem
WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY
GROUP BY ALL ORDER BY 1, 2`,
  },
  {
    name: 'Q3 shipping priority',
    semantic: {
      measures: ['lineitem.revenue'],
      dimensions: ['lineitem.l_orderkey', 'orders.o_orderdate', 'orders.o_shippriority'],
      filters: [
        is('customer.c_mktsegment', 'equals', 'BUILDING'),
        is('orders.o_orderdate', 'beforeDate', '1995-03-15'),
        is('lineitem.l_shipdate', 'afterDate', '1995-03-15'),
      ],
      order: [
        { member: 'lineitem.revenue', direction: 'desc' },
        { member: 'orders.o_orderdate', direction: 'asc' },
      ],
      limit: 10,
    },
    sql: `SELECT l_orderkey, o_orderdate, o_shippriority, ${REVENUE} AS revenue
FROM ${LINES} ${ORDERS} ${CUSTOMER}
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY ALL ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10`,
  },
  {
    name: 'Q5 local supplier volume',
    semantic: {
      measures: ['lineitem.revenue'],
      dimensions: ['supplier.nation_name'],
      segments: ['lineitem.local_supplier'],
      filters: [is('supplier.region_name', 'equals', 'ASIA')],
      timeDimensions: [{ dimension: 'orders.o_orderdate', dateRange: ['1994-01-01', '1994-12-31'] }],
      order: [{ member: 'lineitem.revenue', direction: 'desc' }],
    },
    sql: `SELECT n_name, ${REVENUE} AS revenue
FROM ${LINES} ${ORDERS} ${CUSTOMER} ${SUPPLIER}
JOIN tpch.nation AS n ON n.n_nationkey = s.s_nationkey JOIN tpch.region AS r ON r.r_regionkey = n.n_regionkey
WHERE c_nationkey = s_nationkey AND r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
GROUP BY ALL ORDER BY revenue DESC, n_name`,
  },
  {
    name: 'Q6 forecasting revenue change',
    semantic: {
      measures: ['lineitem.discount_given'],
      dimensions: [],
      filters: [
        is('lineitem.l_discount', 'gte', '0.05'),
        is('lineitem.l_discount', 'lte', '0.07'),
        is('lineitem.l_quantity', 'lt', 24),
      ],
      timeDimensions: [{ dimension: 'lineitem.l_shipdate', dateRange: ['1994-01-01', '1994-12-31'] }],
    },
    sql: `SELECT SUM(l_extendedprice * l_discount) FROM tpch.lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24`,
  },
  {
    name: 'Q7 volume shipping',
    semantic: {
      measures: ['lineitem.revenue'],
      dimensions: ['supplier.nation_name', 'customer.nation_name', 'lineitem.ship_year'],
      filters: [
        any(
          all(
            is('supplier.nation_name', 'equals', 'FRANCE'),
            is('customer.nation_name', 'equals', 'GERMANY'),
          ),
          all(
            is('supplier.nation_name', 'equals', 'GERMANY'),
            is('customer.nation_name', 'equals', 'FRANCE'),
          ),
        ),
      ],
      timeDimensions: [{ dimension: 'lineitem.l_shipdate', dateRange: ['1995-01-01', '1996-12-31'] }],
      order: ascending('supplier.nation_name', 'customer.nation_name', 'lineitem.ship_year'),
    },
    sql: `SELECT sn.n_name AS supp_nation, cn.n_name AS cust_nation, EXTRACT(year FROM l_shipdate) AS l_year, ${REVENUE}
FROM ${LINES} ${ORDERS} ${CUSTOMER} ${SUPPLIER}
JOIN tpch.nation AS sn ON sn.n_nationkey = s.s_nationkey JOIN tpch.nation AS cn ON cn.n_nationkey = c.c_nationkey
WHERE ((sn.n_name = 'FRANCE' AND cn.n_name = 'GERMANY') OR (sn.n_name = 'GERMANY' AND cn.n_name = 'FRANCE'))
  AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
GROUP BY ALL ORDER BY 1, 2, 3`,
  },
  {
    name: 'Q8 national market share',
    semantic: {
      measures: ['lineitem.brazilian_share'],
      dimensions: [],
      filters: [
        is('customer.region_name', 'equals', 'AMERICA'),
        is('part.p_type', 'equals', 'ECONOMY ANODIZED STEEL'),
      ],
      timeDimensions: [
        { dimension: 'orders.o_orderdate', granularity: 'year', dateRange: ['1995-01-01', '1996-12-31'] },
      ],
    },
    sql: `SELECT DATE_TRUNC('year', o_orderdate)::DATE AS o_year,
  SUM(CASE WHEN sn.n_name = 'BRAZIL' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / ${REVENUE}
FROM ${LINES} ${ORDERS} ${CUSTOMER} ${SUPPLIER} ${PART}
JOIN tpch.nation AS cn ON cn.n_nationkey = c.c_nationkey JOIN tpch.region AS r ON r.r_regionkey = cn.n_regionkey
JOIN tpch.nation AS sn ON sn.n_nationkey = s.s_nationkey
WHERE r_name = 'AMERICA' AND p_type = 'ECONOMY ANODIZED STEEL' AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
GROUP BY ALL ORDER BY 1`,
  },
  {
    name: 'Q9 product type profit',
    semantic: {
      measures: ['lineitem.profit'],
      dimensions: ['supplier.nation_name', 'orders.o_orderdate.year'],
      filters: [is('part.p_name', 'contains', 'green')],
      order: [
        { member: 'supplier.nation_name', direction: 'asc' },
        { member: 'orders.o_orderdate.year', direction: 'desc' },
      ],
    },
    sql: `SELECT n_name, DATE_TRUNC('year', o_orderdate)::DATE AS o_year,
  SUM(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity)
FROM ${LINES} ${ORDERS} ${SUPPLIER} ${PART}
JOIN tpch.partsupp AS ps ON ps.ps_partkey = l.l_partkey AND ps.ps_suppkey = l.l_suppkey
JOIN tpch.nation AS n ON n.n_nationkey = s.s_nationkey
WHERE p_name LIKE '%green%'
GROUP BY ALL ORDER BY 1, 2 DESC`,
  },
  {
    name: 'Q10 returned items',
    semantic: {
      measures: ['lineitem.revenue'],
      dimensions: [
        'customer.c_custkey',
        'customer.c_name',
        'customer.c_acctbal',
        'customer.nation_name',
        'customer.c_address',
        'customer.c_phone',
        'customer.c_comment',
      ],
      filters: [is('lineitem.l_returnflag', 'equals', 'R')],
      timeDimensions: [{ dimension: 'orders.o_orderdate', dateRange: ['1993-10-01', '1993-12-31'] }],
      order: [{ member: 'lineitem.revenue', direction: 'desc' }],
      limit: 20,
    },
    sql: `SELECT c_custkey, c_name, c_acctbal, n_name, c_address, c_phone, c_comment, ${REVENUE} AS revenue
FROM ${LINES} ${ORDERS} ${CUSTOMER} JOIN tpch.nation AS n ON n.n_nationkey = c.c_nationkey
WHERE l_returnflag = 'R' AND o_orderdate >= DATE '1993-10-01' AND o_orderdate < DATE '1994-01-01'
GROUP BY ALL ORDER BY revenue DESC, c_custkey LIMIT 20`,
  },
  {
    name: 'Q12 shipping modes and priority',
    semantic: {
      measures: ['lineitem.high_lines', 'lineitem.low_lines'],
      dimensions: ['lineitem.l_shipmode'],
      segments: ['lineitem.late_after_shipping_in_time'],
      filters: [is('lineitem.l_shipmode', 'in', 'MAIL', 'SHIP')],
      timeDimensions: [{ dimension: 'lineitem.l_receiptdate', dateRange: ['1994-01-01', '1994-12-31'] }],
      order: ascending('lineitem.l_shipmode'),
    },
    sql: `SELECT l_shipmode, SUM(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END)::BIGINT,
  SUM(CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END)::BIGINT
FROM ${LINES} ${ORDERS}
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
  AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'
GROUP BY ALL ORDER BY 1`,
  },
  {
    name: 'Q14 promotion effect',
    semantic: {
      measures: ['lineitem.promo_share'],
      dimensions: [],
      timeDimensions: [{ dimension: 'lineitem.l_shipdate', dateRange: ['1995-09-01', '1995-09-30'] }],
    },
    sql: `SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / ${REVENUE}
FROM ${LINES} ${PART}
WHERE l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'`,
  },
  {
    name: 'Q19 discounted revenue',
    semantic: {
      measures: ['lineitem.revenue'],
      dimensions: [],
      filters: [
        any(
          bargain('Brand#12', 5, 1, ['SM CASE', 'SM BOX', 'SM PACK', 'SM PKG']),
          bargain('Brand#23', 10, 10, ['MED BAG', 'MED BOX', 'MED PKG', 'MED PACK']),
          bargain('Brand#34', 15, 20, ['LG CASE', 'LG BOX', 'LG PACK', 'LG PKG']),
        ),
      ],
    },
    sql: `SELECT ${REVENUE} FROM ${LINES} ${PART}
WHERE l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON' AND (
  (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5)
  OR (p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10)
  OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))`,
  },
];
