// Compares exchanges of the tests with GitHub's descriptions of its interfaces: OpenAPI for REST, a schema for GraphQL.
'use strict';

const fs = require('fs');
const path = require('path');
const { isDeepStrictEqual } = require('util');
const Ajv = require('ajv').default;
const addFormats = require('ajv-formats').default;
const graphql = require('graphql');

// What formwork needs, whatever else an answer has: a member must be described as required and never null, unless it
// ends with `?`. These are the structs of src/github/wire.rs.
const COMMENT = ['id', 'node_id', 'user?.login', 'user?.type', 'body', 'path', 'line?', 'start_line?', 'in_reply_to_id?'];
const CHECK_RUN = ['id', 'external_id?', 'status', 'output.annotations_count', 'html_url?'];
const PULL = ['number', 'state', 'head.sha'];
const NEEDED = {
  'GET /repos/{owner}/{repo}/pulls': PULL,
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': PULL,
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': ['filename', 'status', 'patch?'],
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': COMMENT,
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': ['id', 'user?.login', 'user?.type', 'body?', 'html_url'],
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': ['html_url'],
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': ['html_url'],
  'POST /repos/{owner}/{repo}/check-runs': CHECK_RUN,
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': CHECK_RUN,
};
// A pull request has hundreds of members, of which the tests answer the few that count.
const PARTIAL = new Set(['GET /repos/{owner}/{repo}/pulls', 'GET /repos/{owner}/{repo}/pulls/{pull_number}']);

// An outdated review comment has no line: GitHub answers `null`, which its description does not mention.
const NULL_TOO = ['line'];

const problems = new Map();
function problem(text) {
  problems.set(text, (problems.get(text) ?? 0) + 1);
}

class Description {
  constructor(name) {
    this.name = name;
    this.json = require(`@octokit/openapi/generated/${name}.json`);
    this.ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(this.ajv);
    this.validators = new Map();
    const order = (template) => template.split('{').length;
    this.templates = Object.keys(this.json.paths).sort((a, b) => order(a) - order(b));
  }

  // The same value, without references; without required members, if only some of them are there.
  inline(value, partial = false) {
    if (Array.isArray(value)) return value.map((it) => this.inline(it, partial));
    if (value === null || typeof value !== 'object') return value;
    if (typeof value.$ref === 'string') {
      const parts = value.$ref.slice(2).split('/');
      return this.inline(parts.reduce((at, it) => at[it.replace(/~1/g, '/').replace(/~0/g, '~')], this.json), partial);
    }
    const members = Object.entries(value).filter(([key, it]) => !(partial && key === 'required' && Array.isArray(it)));
    const inlined = Object.fromEntries(members.map(([key, it]) => [key, this.inline(it, partial)]));
    // In OpenAPI 3.0, `nullable` adds to the listed values.
    if (inlined.nullable === true && Array.isArray(inlined.enum)) inlined.enum = [...inlined.enum, null];
    return inlined;
  }

  find(method, address) {
    const parts = address.split('/');
    for (const template of this.templates) {
      const names = template.split('/');
      const fits = names.length === parts.length && names.every((it, at) => it.startsWith('{') || it === parts[at]);
      const operation = fits && this.json.paths[template][method.toLowerCase()];
      if (!operation) continue;
      const values = names.map((it, at) => [it.slice(1, -1), parts[at], it.startsWith('{')]).filter((it) => it[2]);
      return { key: `${method} ${template}`, operation, values };
    }
    return undefined;
  }

  check(key, schema, value, where) {
    if (!this.validators.has(key)) this.validators.set(key, this.ajv.compile(schema));
    const validate = this.validators.get(key);
    if (!validate(value)) {
      for (const it of validate.errors) problem(`${this.name}: ${where}: ${it.instancePath} ${it.message}`);
    }
    this.unknown(schema, value, '', where);
  }

  // GitHub ignores members that it does not know, so a misspelt one would be seen nowhere else.
  unknown(schema, value, at, where) {
    const all = flat(schema);
    if (Array.isArray(value)) {
      const items = all.map((it) => it.items).filter(Boolean);
      for (const it of value) this.unknown({ anyOf: items }, it, `${at}[]`, where);
    } else if (value !== null && typeof value === 'object') {
      for (const [name, member] of Object.entries(value)) {
        const known = all.map((it) => it.properties?.[name]).filter(Boolean);
        const open = all.some((it) => it.additionalProperties || (it.type === 'object' && !it.properties));
        if (known.length === 0 && !open) problem(`${this.name}: ${where}: unknown member ${at}.${name}`);
        if (known.length > 0) this.unknown({ anyOf: known }, member, `${at}.${name}`, where);
      }
    }
  }

  request({ method, path: target, body }) {
    const [address, query] = target.split('?');
    const found = this.find(method, address);
    if (!found) {
      problem(`${this.name}: no operation ${method} ${address}`);
      return undefined;
    }
    const { key, operation, values } = found;
    const parameters = (operation.parameters ?? []).map((it) => this.inline(it));
    const check = (place, name, text) => {
      const parameter = parameters.find((it) => it.in === place && it.name === name);
      if (!parameter) return problem(`${this.name}: ${key}: no ${place} parameter ${name}`);
      const value = parameter.schema.type === 'integer' ? Number(text) : text;
      return this.check(`${key} ${place} ${name}`, parameter.schema, value, `${key}: ${place} parameter ${name}`);
    };
    for (const [name, text] of values) check('path', name, decodeURIComponent(text));
    for (const [name, text] of new URLSearchParams(query ?? '')) check('query', name, text);
    const schema = operation.requestBody?.content?.['application/json']?.schema;
    if (schema) this.check(`${key} request`, this.inline(schema), body, `${key}: request`);
    else if (body !== null) problem(`${this.name}: ${key}: has a body`);
    return found;
  }

  response({ key, operation }, { status, response }) {
    const answer = operation.responses[status] && this.inline(operation.responses[status], PARTIAL.has(key));
    const schema = answer?.content?.['application/json']?.schema;
    const given = key.includes('/pulls/') ? withoutNulls(response) : response;
    const isEmpty = answer && !answer.content && response === null;
    if (schema) this.check(`${key} ${status}`, schema, given, `${key}: answer ${status}`);
    else if (status < 400 && !isEmpty) problem(`${this.name}: ${key}: no answer ${status}`);
  }

  needed(key, members) {
    const [method, template] = key.split(' ');
    const { responses } = this.json.paths[template][method.toLowerCase()];
    const answer = this.inline(responses[200] ?? responses[201]);
    let root = answer.content['application/json'].schema;
    if (root.type === 'array') root = root.items;
    for (const member of members) {
      let at = root;
      for (const part of member.split('.')) {
        const name = part.replace('?', '');
        const all = flat(at);
        const found = all.find((it) => it.properties?.[name])?.properties[name];
        if (!found) {
          problem(`${this.name}: ${key}: no member ${member}`);
          break;
        }
        const types = flat(found);
        const optional = types.some((it) => it.nullable || it.type === 'null' || it.type?.includes?.('null'))
          || !all.some((it) => it.required?.includes(name));
        if (optional && !part.endsWith('?')) problem(`${this.name}: ${key}: ${member} may be missing or null`);
        at = found;
      }
    }
  }
}

function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([key, it]) => it !== null || !NULL_TOO.includes(key)));
}

function flat(schema) {
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap(flat)];
}

// The answer has the members that were asked for, of their types: carrying out the document on it gives it back.
function compareGraphql(schema, { body, response }) {
  const document = graphql.parse(body.query);
  const rules = [...graphql.specifiedRules, graphql.NoDeprecatedCustomRule];
  for (const error of graphql.validate(schema, document, rules)) problem(`GraphQL: ${error.message}: ${body.query}`);
  const refused = new Set((response.errors ?? []).map((it) => it.path?.[0]));
  const fieldResolver = (source, _arguments, _context, info) => source[info.path.key];
  const result = graphql.executeSync({
    schema, document, rootValue: response.data, variableValues: body.variables, fieldResolver,
  });
  for (const error of result.errors ?? []) problem(`GraphQL: ${error.message}: ${body.query}`);
  const plain = JSON.parse(JSON.stringify(result.data ?? null));
  if (!isDeepStrictEqual(plain, response.data)) problem(`GraphQL: the answer has other members: ${body.query}`);
  for (const alias of refused) if (response.data[alias] !== null) problem(`GraphQL: ${alias} is refused and there`);
}

function main(folder) {
  const lines = fs.readdirSync(folder).flatMap((it) => fs.readFileSync(path.join(folder, it), 'utf8').split('\n'));
  const exchanges = lines.filter(Boolean).map((it) => JSON.parse(it));
  const rest = exchanges.filter((it) => it.path !== '/graphql');
  const documents = exchanges.filter((it) => it.path === '/graphql');
  const [github, server] = ['api.github.com', 'ghes-3.17'].map((it) => new Description(it));
  const operations = new Set();
  for (const exchange of rest) {
    server.request(exchange);
    const found = github.request(exchange);
    if (!found) continue;
    operations.add(found.key);
    github.response(found, exchange);
  }
  for (const [key, members] of Object.entries(NEEDED)) {
    if (!operations.has(key)) problem(`no test sends ${key}`);
    for (const it of [github, server]) it.needed(key, members);
  }
  // The package lets only modules of the newer kind in, and the file is all that is wanted of it.
  const text = path.join(require.resolve('@octokit/openapi/package.json'), '../../graphql-schema/schema.graphql');
  const schema = graphql.buildSchema(fs.readFileSync(text, 'utf8'), { assumeValid: true });
  for (const it of documents) compareGraphql(schema, it);
  if (rest.length === 0 || documents.length === 0) problem('the tests sent nothing');
  for (const [text, count] of problems) console.log(`${text} (${count} times)`);
  const kinds = new Set(documents.map((it) => it.body.query));
  console.log(
    `contract with GitHub: ${rest.length} requests of ${operations.size} operations, ${documents.length} of ` +
      `${kinds.size} documents, ${problems.size} problems`,
  );
  return problems.size === 0 ? 0 : 1;
}

process.exitCode = main(process.argv[2]);
