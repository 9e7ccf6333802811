/*
 * Files that tools run by themselves (FF-131): nobody has to type their name. Two kinds of names are
 * such. A name with a leading dot, of a file or of any folder it is in, is configuration that some
 * tool looks for. And builds, tests, package managers, containers and editors each have names they look for.
 */

/** Names with a dot that hold data and nothing that is started. */
const PLAIN: readonly RegExp[] = [
  /(^|\/)\.[a-z]*ignore$/i,
  /(^|\/)\.(gitkeep|keep|editorconfig|mailmap|nvmrc|[a-z]+-version)$/i,
  /^\.github\/(?!(workflows|actions)(\/|$))/i,
  /^\.changeset\//i,
];

const DOT = /(^|\/)\.[^/]/;

const BY_NAME: readonly RegExp[] = [
  /\.(mk|cmake|gradle|gradle\.kts|gemspec|pth|code-workspace|sublime-project)$/i,
  /\.conf(ig)?\.([cm]?[jt]s|json)$/i,
  /(^|\/)(GNUmake|make|docker|container|gem|rake|just|task|proc|pip|pod|brew|vagrant|jenkins|cap|guard|danger|fast|earth|tilt|gulp|grunt|jake)file(\.[^/]+)?$/i,
  /(^|\/)(docker-)?compose(\.[^/]+)?\.ya?ml$/i,
  /(^|\/)(lefthook(-local)?|(azure|bitbucket)-pipelines|appveyor|buildspec|cloudbuild)\.(ya?ml|toml|json)$/i,
  /(^|\/)(package|composer|deno)\.jsonc?$|(^|\/)(pnpm-workspace\.ya?ml|bunfig\.toml|binding\.gyp)$/i,
  /(^|\/)(setup|noxfile|conftest|sitecustomize|usercustomize|fabfile|dodo)\.py$/i,
  /(^|\/)((setup|tox|pytest)\.(cfg|ini)|pyproject\.toml|Cargo\.toml|build\.rs|pom\.xml)$/i,
  /(^|\/)(gradlew|mvnw)(\.bat|\.cmd)?$|(^|\/)(gradle|maven)-wrapper\.properties$|(^|\/)directory\.build\.(props|targets)$/i,
  /(^|\/)((flake|default|shell)\.nix|mise(\.[^/]+)?\.toml)$/i,
  /(^|\/)(CMakeLists\.txt|meson\.build|configure(\.ac)?|(BUILD|WORKSPACE|MODULE)(\.bazel)?)$/,
];

/** True for a name that some tool looks for and may run something because of. */
export function runsByItself(path: string): boolean {
  if (DOT.test(path)) return !PLAIN.some((pattern) => pattern.test(path));
  return BY_NAME.some((pattern) => pattern.test(path));
}
