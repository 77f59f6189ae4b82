/** Names of users, service accounts and groups. */
export const PRINCIPAL_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;

/** A dash would make the slug of a product, `{tenant}-{name}`, ambiguous. */
export const TENANT_NAME = /^[A-Za-z0-9][\w.]{0,63}$/;

/** An environment as it may be written; `environmentName` gives its one spelling. */
export const WRITTEN_ENVIRONMENT = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
