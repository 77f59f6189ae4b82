/** One check of the doctor: its result, and how to fix what is wrong. */
export interface DoctorFinding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}
