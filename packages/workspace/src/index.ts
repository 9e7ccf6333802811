export { type CapturedPatch, type CaptureOptions, capturePatch } from './capture-patch.ts';
export { type WorkspaceHandle } from './handle.ts';
export { hideFromGit } from './hide-from-git.ts';
export { materialise, type MaterialiseInput } from './materialise.ts';
export { type PatchFile } from './patch-file.ts';
export { pathBytes, pathText } from './path-text.ts';
export { recordBase, recordBaseline } from './record.ts';
export { release } from './release.ts';
export { type ResolvedBase, resolveBase } from './resolve-base.ts';
