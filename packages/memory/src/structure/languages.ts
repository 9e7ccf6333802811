/*
 * What is asked of each grammar. A capture is named by what it finds: `import`, `use`, or else the kind of
 * a symbol whose name it is.
 */

export interface Language {
  readonly name: string;
  /** The grammar's file name, without its ending. */
  readonly grammar: string;
  readonly endings: readonly string[];
  readonly query: string;
  /** A name of it is spoken of again and again, and is defined where it stands first. */
  readonly isNamedOnce?: true;
}

const SCRIPT_IMPORTS = `
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @import)))
(call_expression function: (identifier) @_call (#eq? @_call "require") arguments: (arguments . (string (string_fragment) @import)))
(program (lexical_declaration (variable_declarator name: (identifier) @constant)))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @constant))))
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(method_definition name: (property_identifier) @method)
(identifier) @use
`;
const TYPED = `${SCRIPT_IMPORTS}
(class_declaration name: (type_identifier) @class)
(abstract_class_declaration name: (type_identifier) @class)
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @enum)
(internal_module name: (identifier) @module)
(function_signature name: (identifier) @function)
(import_require_clause source: (string (string_fragment) @import))
(type_identifier) @use
`;

/** A file that is read by its name, which may stand behind a folder: `__DIR__ . '/name'`. */
const PHP_FILES = ['require', 'require_once', 'include', 'include_once']
  .flatMap((word) =>
    ['STRING', '(binary_expression right: STRING)'].flatMap((name) => [
      `(${word}_expression ${name})`,
      `(${word}_expression (parenthesized_expression ${name}))`,
    ]),
  )
  .map((shape) => shape.replace('STRING', '(string (string_content) @import)'))
  .join('\n');

export const LANGUAGES: readonly Language[] = [
  { name: 'typescript', grammar: 'tree-sitter-typescript', endings: ['.ts', '.mts', '.cts'], query: TYPED },
  { name: 'tsx', grammar: 'tree-sitter-tsx', endings: ['.tsx'], query: TYPED },
  {
    name: 'javascript',
    grammar: 'tree-sitter-javascript',
    endings: ['.js', '.jsx', '.mjs', '.cjs'],
    query: `${SCRIPT_IMPORTS} (class_declaration name: (identifier) @class)`,
  },
  {
    name: 'python',
    grammar: 'tree-sitter-python',
    endings: ['.py', '.pyi'],
    query: `
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement) @import_from
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(module (expression_statement (assignment left: (identifier) @constant)))
(identifier) @use`,
  },
  {
    name: 'go',
    grammar: 'tree-sitter-go',
    endings: ['.go'],
    query: `
(import_spec path: [(interpreted_string_literal) (raw_string_literal)] @import)
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
(const_spec name: (identifier) @constant)
(identifier) @use
(type_identifier) @use
(field_identifier) @use`,
  },
  {
    name: 'rust',
    grammar: 'tree-sitter-rust',
    endings: ['.rs'],
    query: `
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @module !body)
(mod_item name: (identifier) @import !body)
(function_item name: (identifier) @function)
(struct_item name: (type_identifier) @class)
(union_item name: (type_identifier) @class)
(enum_item name: (type_identifier) @enum)
(trait_item name: (type_identifier) @interface)
(type_item name: (type_identifier) @type)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(macro_definition name: (identifier) @macro)
(identifier) @use
(type_identifier) @use
(field_identifier) @use`,
  },
  {
    name: 'java',
    grammar: 'tree-sitter-java',
    endings: ['.java'],
    query: `
(import_declaration (scoped_identifier) @import)
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(annotation_type_declaration name: (identifier) @interface)
(method_declaration name: (identifier) @method)
(identifier) @use
(type_identifier) @use`,
  },
  {
    name: 'cpp',
    grammar: 'tree-sitter-cpp',
    endings: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'],
    query: `
(preproc_include path: (string_literal) @import)
(preproc_include path: (system_lib_string) @import (#match? @import "/"))
(declaration declarator: (function_declarator declarator: (identifier) @function))
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @function)))
(alias_declaration name: (type_identifier) @type)
(function_definition declarator: (function_declarator declarator: (identifier) @function))
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @function)))
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @method)))
(function_definition declarator: (function_declarator declarator: (field_identifier) @method))
(class_specifier name: (type_identifier) @class body: (_))
(struct_specifier name: (type_identifier) @class body: (_))
(enum_specifier name: (type_identifier) @enum body: (_))
(type_definition declarator: (type_identifier) @type)
(preproc_def name: (identifier) @macro)
(identifier) @use
(type_identifier) @use
(field_identifier) @use`,
  },
  {
    name: 'ruby',
    grammar: 'tree-sitter-ruby',
    endings: ['.rb', '.rake'],
    query: `
(call method: (identifier) @_call (#match? @_call "^(require|require_relative|load|autoload)$") arguments: (argument_list (string (string_content) @import)))
(assignment left: (constant) @constant)
(method name: (identifier) @method)
(singleton_method name: (identifier) @method)
(class name: (constant) @class)
(module name: (constant) @module)
(identifier) @use
(constant) @use`,
  },
  {
    name: 'php',
    grammar: 'tree-sitter-php',
    endings: ['.php'],
    query: `
(namespace_use_clause (qualified_name) @import)
(namespace_use_declaration (namespace_name) body: (namespace_use_group)) @import_group
${PHP_FILES}
(const_element (name) @constant)
(function_definition name: (name) @function)
(method_declaration name: (name) @method)
(class_declaration name: (name) @class)
(interface_declaration name: (name) @interface)
(trait_declaration name: (name) @class)
(enum_declaration name: (name) @enum)
(name) @use`,
  },
  {
    name: 'csharp',
    grammar: 'tree-sitter-c-sharp',
    endings: ['.cs'],
    query: `
(using_directive (qualified_name) @import)
(using_directive (identifier) @import)
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(struct_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(delegate_declaration name: (identifier) @type)
(property_declaration name: (identifier) @property)
(method_declaration name: (identifier) @method)
(identifier) @use`,
  },
  {
    name: 'bash',
    grammar: 'tree-sitter-bash',
    endings: ['.sh', '.bash'],
    query: `
(command name: (command_name (word) @_call) (#match? @_call "^(source|[.])$") argument: [(word) (string) (concatenation)] @import)
(function_definition name: (word) @function)
(command_name (word) @use)`,
  },
  {
    name: 'powershell',
    grammar: 'tree-sitter-powershell',
    endings: ['.ps1', '.psm1'],
    query: `
(command (command_invokation_operator) @_dot (#eq? @_dot ".") command_name: (command_name_expr (_) @import))
(command command_name: (command_name) @_call (#match? @_call "^[Ii]mport-[Mm]odule$") command_elements: (command_elements . (command_argument_sep) . (generic_token) @import))
(function_statement (function_name) @function)
(class_statement . (simple_name) @class)
(class_method_definition (simple_name) @method)
(enum_statement . (simple_name) @enum)
(command_name) @use`,
  },
  {
    name: 'css',
    grammar: 'tree-sitter-css',
    endings: ['.css'],
    query: `
(import_statement (string_value (string_content) @import))
(import_statement (call_expression (arguments (string_value (string_content) @import))))
(import_statement (call_expression (arguments (plain_value) @import)))
(class_selector (class_name (identifier) @class))
(id_selector (id_name) @id)
(keyframes_name) @keyframes
(declaration (property_name) @constant (#match? @constant "^--"))
(plain_value) @use`,
    isNamedOnce: true,
  },
];

const BY_ENDING = new Map(LANGUAGES.flatMap((each) => each.endings.map((ending) => [ending, each] as const)));

/** The language a file is written in, by its ending. */
export function languageOf(path: string): Language | undefined {
  const dot = path.lastIndexOf('.');
  return dot === -1 ? undefined : BY_ENDING.get(path.slice(dot).toLowerCase());
}
