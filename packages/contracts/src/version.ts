/** The version of this program, recorded in evidence; the packages' own versions are checked against it. */
export const PRODUCT_VERSION = '0.1.0';
