/*
 * The environment firewall (DI-109): what of the environment a process was started with may reach the
 * programs of an attempt. It stands twice: the engine starts workers with nothing else, because a
 * program that runs as the same user reads its worker's environment from /proc, and the worker gives
 * programs nothing else.
 *
 * Threat: that environment was made by a shell or a service manager and may carry the operator's
 * credentials (cloud keys, tokens, agent sockets) or settings that make a program run code (loader
 * paths, interpreter options). Nothing passes by default. An operator may let names through, but never
 * the ones below: they are identities of the host or ways to inject code.
 */

const PASSED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'TMP',
  'TEMP',
  'NODE_ENV',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
]);

/** Denied whatever the operator allows; `X*` is a prefix. */
const DENIED: readonly string[] = [
  'PALISADE_*',
  'PANGOLIN_*',
  'PALLIUM_*',
  // Cloud and cluster identities.
  'AWS_*',
  'GOOGLE_*',
  'GCE_*',
  'GCLOUD_*',
  'CLOUDSDK_*',
  'AZURE_*',
  'ARM_*',
  'MSI_*',
  'IDENTITY_*',
  'ALIBABA_CLOUD_*',
  'OCI_*',
  'KUBERNETES_*',
  'KUBECONFIG',
  'HELM_*',
  'CONSUL_*',
  'NOMAD_*',
  'ECS_*',
  'VAULT_*',
  'DOCKER_*',
  'CONTAINER_HOST',
  'CONTAINERD_*',
  'BUILDKIT_HOST',
  'PODMAN_*',
  'ACTIONS_*',
  'KRB5*',
  'X509_*',
  'PGPASSWORD',
  'PGPASSFILE',
  'PGSERVICE*',
  // What a service manager handed to the server.
  'CREDENTIALS_DIRECTORY',
  'NOTIFY_SOCKET',
  'LISTEN_*',
  // Agents of the person who started the server, and where their configuration lies.
  'SSH_*',
  'GPG_*',
  'GNUPGHOME',
  'DBUS_*',
  'XDG_RUNTIME_DIR',
  // Ways to type into the screen, the terminal or the editor of that person.
  'DISPLAY',
  'WAYLAND_*',
  'XAUTHORITY',
  'TMUX*',
  'STY',
  'KITTY_*',
  'WEZTERM_*',
  'VSCODE_*',
  'NVIM*',
  'SUDO_*',
  // Git redirected to another repository, configuration or program.
  'GIT_*',
  // Code run by the loader, a shell or an interpreter before the program itself.
  'LD_*',
  'DYLD_*',
  'GCONV_PATH',
  'GETCONF_DIR',
  'LOCPATH',
  'NLSPATH',
  'NIS_PATH',
  'TZDIR',
  'HOSTALIASES',
  'LOCALDOMAIN',
  'RES_OPTIONS',
  'RESOLV_HOST_CONF',
  'OPENSSL_*',
  'SSLKEYLOGFILE',
  'GLIBC_TUNABLES',
  'MALLOC_*',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_REPL_*',
  'NODE_V8_COVERAGE',
  'NPM_CONFIG_*',
  'BASH_*',
  'ENV',
  'IFS',
  'PS4',
  'PROMPT_COMMAND',
  'SHELLOPTS',
  'ZDOTDIR',
  'FPATH',
  'CDPATH',
  'LESSOPEN',
  'LESSCLOSE',
  'MAKEFLAGS',
  'MAKEFILES',
  'PERL5*',
  'PERLLIB',
  'PYTHON*',
  'RUBYOPT',
  'RUBYLIB',
  'LUA_*',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'R_PROFILE*',
  'R_ENVIRON*',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
];
/** Names a `DENIED` prefix covers that say where, not who. */
const HARMLESS: ReadonlySet<string> = new Set(['AWS_REGION', 'AWS_DEFAULT_REGION']);

const EXPORTED_FUNCTION = /^\(\)\s*\{/;

/**
 * What of an inherited environment the programs of an attempt may see (DI-109).
 *
 * @param base the inherited environment
 * @param allow exact names or `PREFIX*` the operator lets through; a denied name stays denied
 */
export function firewall(
  base: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || EXPORTED_FUNCTION.test(value)) continue;
    if (isDenied(name)) continue;
    const passes =
      PASSED.has(name) || name.startsWith('LC_') || allow.some((pattern) => matches(pattern, name));
    if (passes) out[name] = value;
  }
  return out;
}

/** True for a name that no allow-list can let through. */
export function isDenied(name: string): boolean {
  const upper = name.toUpperCase();
  return !HARMLESS.has(upper) && DENIED.some((pattern) => matches(pattern, upper));
}

function matches(pattern: string, name: string): boolean {
  if (!pattern.endsWith('*')) return pattern === name;
  const prefix = pattern.slice(0, -1);
  return prefix.length > 0 && name.startsWith(prefix);
}
