/*
 * What is asked of each grammar: the names of symbols. A capture is named by the kind of the symbol.
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

const SCRIPT = `
(program (lexical_declaration (variable_declarator name: (identifier) @constant)))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @constant))))
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(method_definition name: (property_identifier) @method)
`;
const TYPED = `${SCRIPT}
(class_declaration name: (type_identifier) @class)
(abstract_class_declaration name: (type_identifier) @class)
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @enum)
(internal_module name: (identifier) @module)
(function_signature name: (identifier) @function)
`;

export const LANGUAGES: readonly Language[] = [
  { name: 'typescript', grammar: 'tree-sitter-typescript', endings: ['.ts', '.mts', '.cts'], query: TYPED },
  { name: 'tsx', grammar: 'tree-sitter-tsx', endings: ['.tsx'], query: TYPED },
  {
    name: 'javascript',
    grammar: 'tree-sitter-javascript',
    endings: ['.js', '.jsx', '.mjs', '.cjs'],
    query: `${SCRIPT} (class_declaration name: (identifier) @class)`,
  },
  {
    name: 'python',
    grammar: 'tree-sitter-python',
    endings: ['.py', '.pyi'],
    query: `
(class_definition body: (block [
  (function_definition name: (identifier) @method)
  (decorated_definition (function_definition name: (identifier) @method))]))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(module (expression_statement (assignment left: (identifier) @constant)))`,
  },
  {
    name: 'go',
    grammar: 'tree-sitter-go',
    endings: ['.go'],
    query: `
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(source_file (var_declaration (var_spec name: (identifier) @variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable))))
(const_spec name: (identifier) @constant)`,
  },
  {
    name: 'rust',
    grammar: 'tree-sitter-rust',
    endings: ['.rs'],
    query: `
(mod_item name: (identifier) @module !body)
(function_item name: (identifier) @function)
(struct_item name: (type_identifier) @class)
(union_item name: (type_identifier) @class)
(enum_item name: (type_identifier) @enum)
(trait_item name: (type_identifier) @interface)
(type_item name: (type_identifier) @type)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(macro_definition name: (identifier) @macro)`,
  },
  {
    name: 'java',
    grammar: 'tree-sitter-java',
    endings: ['.java'],
    query: `
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(annotation_type_declaration name: (identifier) @interface)
(method_declaration name: (identifier) @method)`,
  },
  {
    name: 'cpp',
    grammar: 'tree-sitter-cpp',
    endings: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'],
    query: `
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
(preproc_def name: (identifier) @macro)`,
  },
  {
    name: 'ruby',
    grammar: 'tree-sitter-ruby',
    endings: ['.rb', '.rake'],
    query: `
(assignment left: (constant) @constant)
(method name: (identifier) @method)
(singleton_method name: (identifier) @method)
(class name: (constant) @class)
(module name: (constant) @module)`,
  },
  {
    name: 'php',
    grammar: 'tree-sitter-php',
    endings: ['.php'],
    query: `
(const_element (name) @constant)
(function_definition name: (name) @function)
(method_declaration name: (name) @method)
(class_declaration name: (name) @class)
(interface_declaration name: (name) @interface)
(trait_declaration name: (name) @class)
(enum_declaration name: (name) @enum)`,
  },
  {
    name: 'csharp',
    grammar: 'tree-sitter-c-sharp',
    endings: ['.cs'],
    query: `
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(struct_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(delegate_declaration name: (identifier) @type)
(property_declaration name: (identifier) @property)
(method_declaration name: (identifier) @method)`,
  },
  {
    name: 'bash',
    grammar: 'tree-sitter-bash',
    endings: ['.sh', '.bash'],
    query: `
(function_definition name: (word) @function)`,
  },
  {
    name: 'powershell',
    grammar: 'tree-sitter-powershell',
    endings: ['.ps1', '.psm1'],
    query: `
(function_statement (function_name) @function)
(class_statement . (simple_name) @class)
(class_method_definition (simple_name) @method)
(enum_statement . (simple_name) @enum)`,
  },
  {
    name: 'css',
    grammar: 'tree-sitter-css',
    endings: ['.css'],
    query: `
(class_selector (class_name (identifier) @class))
(id_selector (id_name) @id)
(keyframes_name) @keyframes
(declaration (property_name) @constant (#match? @constant "^--"))`,
    isNamedOnce: true,
  },
];

const BY_ENDING = new Map(LANGUAGES.flatMap((each) => each.endings.map((ending) => [ending, each] as const)));

/** The language a file is written in, by its ending. */
export function languageOf(path: string): Language | undefined {
  const dot = path.lastIndexOf('.');
  return dot === -1 ? undefined : BY_ENDING.get(path.slice(dot).toLowerCase());
}
