/** The external tables that the examples of lint rules read. */
export const EXAMPLE_TABLES = `- name: raw.orders
  columns: {order_id: int, customer_id: int, status: text, amount: 'decimal(12, 2)', order_date: date, ordered_at: timestamp}
- name: raw.customers
  columns: {customer_id: int, name: text, country: text}
`;
