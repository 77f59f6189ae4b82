import { type DiagnosticMaker, diagnosticMaker } from '../../foundation/diagnostics/catalog.ts';
import { accessDiagnostics } from './access-diagnostics.ts';
import { activityDiagnostics } from './activity-diagnostics.ts';
import { adapterDiagnostics } from './adapter-diagnostics.ts';
import { auditDiagnostics } from './audit-diagnostics.ts';
import { cliDiagnostics } from './cli-diagnostics.ts';
import { configDiagnostics } from './config-diagnostics.ts';
import { dqDiagnostics } from './dq-diagnostics.ts';
import { engineDiagnostics } from './engine-diagnostics.ts';
import { environmentDiagnostics } from './environment-diagnostics.ts';
import { externalDiagnostics } from './external-diagnostics.ts';
import { fileDiagnostics } from './file-diagnostics.ts';
import { graphqlDiagnostics } from './graphql-diagnostics.ts';
import { lintDiagnostics } from './lint-diagnostics.ts';
import { lintProductDiagnostics } from './lint-product-diagnostics.ts';
import { lintQueryDiagnostics } from './lint-query-diagnostics.ts';
import { macroDiagnostics } from './macro-diagnostics.ts';
import { metricDiagnostics } from './metric-diagnostics.ts';
import { modelDiagnostics } from './model-diagnostics.ts';
import { notificationDiagnostics } from './notification-diagnostics.ts';
import { perspectiveDiagnostics } from './perspective-diagnostics.ts';
import { planDiagnostics } from './plan-diagnostics.ts';
import { policyDiagnostics } from './policy-diagnostics.ts';
import { projectDiagnostics } from './project-diagnostics.ts';
import { queryDiagnostics } from './query-diagnostics.ts';
import { resolveDiagnostics } from './resolve-diagnostics.ts';
import { runDiagnostics } from './run-diagnostics.ts';
import { secretDiagnostics } from './secret-diagnostics.ts';
import { seedDiagnostics } from './seed-diagnostics.ts';
import { semanticDiagnostics } from './semantic-diagnostics.ts';
import { semanticSqlDiagnostics } from './semantic-sql-diagnostics.ts';
import { serverDiagnostics } from './server-diagnostics.ts';
import { sqlDiagnostics } from './sql-diagnostics.ts';
import { stateDiagnostics } from './state-diagnostics.ts';
import { statementDiagnostics } from './statement-diagnostics.ts';
import { testDiagnostics } from './test-diagnostics.ts';
import { usageDiagnostics } from './usage-diagnostics.ts';
import { validateDiagnostics } from './validate-diagnostics.ts';

/** Every code of the product, with its words; docs/errors.md is generated from it and proven equal. */
export const catalog = {
  ...accessDiagnostics,
  ...activityDiagnostics,
  ...adapterDiagnostics,
  ...auditDiagnostics,
  ...cliDiagnostics,
  ...configDiagnostics,
  ...dqDiagnostics,
  ...engineDiagnostics,
  ...externalDiagnostics,
  ...fileDiagnostics,
  ...graphqlDiagnostics,
  ...lintDiagnostics,
  ...lintProductDiagnostics,
  ...lintQueryDiagnostics,
  ...macroDiagnostics,
  ...metricDiagnostics,
  ...modelDiagnostics,
  ...perspectiveDiagnostics,
  ...policyDiagnostics,
  ...projectDiagnostics,
  ...queryDiagnostics,
  ...resolveDiagnostics,
  ...notificationDiagnostics,
  ...secretDiagnostics,
  ...seedDiagnostics,
  ...semanticDiagnostics,
  ...semanticSqlDiagnostics,
  ...serverDiagnostics,
  ...sqlDiagnostics,
  ...statementDiagnostics,
  ...testDiagnostics,
  ...planDiagnostics,
  ...stateDiagnostics,
  ...environmentDiagnostics,
  ...runDiagnostics,
  ...usageDiagnostics,
  ...validateDiagnostics,
} as const;

/** A code of the catalog. */
export type DiagnosticCode = keyof typeof catalog & string;

/** Makes a diagnostic of the catalog, with its parameters checked by the compiler. */
export const diagnostic: DiagnosticMaker<typeof catalog> = diagnosticMaker(catalog);
