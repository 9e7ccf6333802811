/** The code a promise is rejected with; `none` when it is not rejected, or with an error that has none. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error) return error.code;
  }
  return 'none';
}
