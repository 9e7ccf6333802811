/** One row of `pal doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'n/a';
  readonly detail: string;
  /** The command that helps. */
  readonly next?: string;
}
