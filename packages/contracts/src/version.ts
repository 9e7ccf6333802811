/** The version of this program, recorded in evidence; the packages' own versions are checked against it. */
export const PRODUCT_VERSION = '0.1.0';

/** The commit that this program was built from, 40 hex digits; the build puts it here. Null where that is not known exactly, and in a checkout. */
export const SOURCE_COMMIT = null as string | null;
